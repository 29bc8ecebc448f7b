//! Charts as a document holds them.

use drivelab_record::ClockTime;

use super::pool::{ColumnPool, index};
use super::{
    Document, DocumentAxis, DocumentCatalogue, DocumentChart, DocumentExtra, DocumentHeat, DocumentLandmark,
    DocumentScale, DocumentSeries, DocumentShape, DocumentSubject, DocumentView, Mark,
};
use crate::chart::{Axis, Colours, Heat, HeatColumn, Landmark, Scale, Series, Shape, Size, Ticks};
use crate::html::context::{anchors, catalogue_place, chart_place};
use crate::html::looks::{Looks, SHAPES};
use crate::{Block, Catalogue, Chart, Page, Subject, View};

/// The document of all charts of a page.
pub(in crate::html) fn document(page: &Page, looks: &Looks) -> Document {
    let mut pool = ColumnPool::default();
    let views = page.views.iter().zip(anchors(page));
    let views = views.map(|(view, anchor)| document_view(view, anchor, looks, &mut pool)).collect();
    let marks = SHAPES.iter().map(|shape| Mark { path: shape.path, hollow: shape.is_hollow }).collect();
    Document { columns: pool.columns(), marks, views }
}

fn document_view<'a>(
    view: &'a View,
    anchor: String,
    looks: &Looks,
    pool: &mut ColumnPool<'a>,
) -> DocumentView {
    let facets = view.subjects.first().map_or(&[][..], |subject| &subject.facets);
    let mut charts = Vec::new();
    let blocks = view.sections.iter().flat_map(|section| &section.blocks);
    blocks.clone().for_each(|block| collect(block, &mut charts));
    let catalogues = blocks.filter_map(|block| match block {
        Block::Catalogue(catalogue) => Some(document_catalogue(catalogue, &anchor, pool)),
        _ => None,
    });
    let catalogues = catalogues.collect();
    DocumentView {
        title: view.title.clone(),
        facets: facets.iter().map(|facet| facet.name.clone()).collect(),
        subjects: view.subjects.iter().map(|subject| document_subject(subject, looks)).collect(),
        catalogues,
        charts: charts.into_iter().map(|chart| document_chart(chart, &anchor, pool)).collect(),
        anchor,
    }
}

/// The charts of a block, those of folds included.
fn collect<'a>(block: &'a Block, charts: &mut Vec<&'a Chart>) {
    match block {
        Block::Chart(chart) => charts.push(chart),
        Block::Fold(fold) => fold.blocks.iter().for_each(|block| collect(block, charts)),
        Block::Text(_)
        | Block::Verdict(_)
        | Block::Figures(_)
        | Block::Table(_)
        | Block::Catalogue(_)
        | Block::Notices(_)
        | Block::Conditions(_) => {}
    }
}

fn document_subject(subject: &Subject, looks: &Looks) -> DocumentSubject {
    DocumentSubject {
        label: subject.label.clone(),
        look: index(looks.find(&subject.label)),
        facets: subject.facets.iter().map(|facet| facet.value.clone()).collect(),
    }
}

fn document_catalogue<'a>(
    catalogue: &'a Catalogue,
    anchor: &str,
    pool: &mut ColumnPool<'a>,
) -> DocumentCatalogue {
    DocumentCatalogue {
        place: catalogue_place(anchor, catalogue),
        rows: catalogue.rows.iter().map(|row| row.head.clone()).collect(),
        curves: catalogue.curves.as_ref().map(|chart| document_chart(chart, anchor, pool)),
    }
}

fn document_chart<'a>(chart: &'a Chart, anchor: &str, pool: &mut ColumnPool<'a>) -> DocumentChart {
    DocumentChart {
        place: chart_place(anchor, chart),
        id: chart.id.clone(),
        title: chart.title.clone(),
        across: chart.across.iter().map(document_axis).collect(),
        up: document_axis(&chart.up),
        series: chart.series().map(|series| document_series(series, pool)).collect(),
        heats: chart.heats().map(|heat| document_heat(heat, pool)).collect(),
        landmarks: chart.landmarks.iter().map(document_landmark).collect(),
        by_name: chart.colours == Colours::OfNames,
        small: chart.size == Size::Small,
    }
}

fn document_axis(axis: &Axis) -> DocumentAxis {
    let scale = match axis.scale {
        Scale::Linear => DocumentScale::Linear,
        Scale::Log => DocumentScale::Log,
        Scale::LogOrLinear => DocumentScale::LogOrLinear,
    };
    let ticks = match &axis.ticks {
        Ticks::Round => None,
        Ticks::At(places) => Some(places.iter().map(|place| (*place, None)).collect()),
        Ticks::Named(places) => {
            Some(places.iter().map(|(place, name)| (*place, Some(name.clone()))).collect())
        }
    };
    DocumentAxis {
        label: axis.label.clone(),
        quantity: axis.quantity,
        scale,
        span: axis.span,
        ticks,
        clock: axis.clock.map(ClockTime::clock_seconds),
        command: axis.command.clone(),
    }
}

fn document_series<'a>(series: &'a Series, pool: &mut ColumnPool<'a>) -> DocumentSeries {
    let extra = |pool: &mut ColumnPool<'a>, extra: &'a crate::chart::Extra| DocumentExtra {
        name: extra.name.clone(),
        quantity: extra.quantity,
        values: pool.add(&extra.values),
    };
    DocumentSeries {
        name: series.name.clone(),
        subject: index(series.subject),
        shape: document_shape(series.shape),
        xs: series.xs.iter().map(|xs| pool.add(xs)).collect(),
        ys: pool.add(&series.ys),
        low: series.spread.as_ref().map(|spread| pool.add(&spread.low)),
        high: series.spread.as_ref().map(|spread| pool.add(&spread.high)),
        extras: series.extras.iter().map(|one| extra(pool, one)).collect(),
    }
}

fn document_shape(shape: Shape) -> DocumentShape {
    match shape {
        Shape::Dots => DocumentShape::Dots,
        Shape::SmallDots => DocumentShape::SmallDots,
        Shape::Rings => DocumentShape::Rings,
        Shape::TopCrosses => DocumentShape::TopCrosses,
        Shape::Line => DocumentShape::Line,
        Shape::DashedLine => DocumentShape::DashedLine,
        Shape::DottedLine => DocumentShape::DottedLine,
        Shape::Steps => DocumentShape::Steps,
        Shape::Bars => DocumentShape::Bars,
        Shape::Band => DocumentShape::Band,
    }
}

fn document_heat<'a>(heat: &'a Heat, pool: &mut ColumnPool<'a>) -> DocumentHeat {
    DocumentHeat {
        name: heat.name.clone(),
        subject: index(heat.subject),
        start: heat.start,
        width: heat.width,
        edges: pool.add(&heat.edges),
        columns: heat.columns.iter().map(document_column).collect(),
        unit: heat.unit.clone(),
        quantity: heat.quantity,
    }
}

/// A column from its first count to its last one.
fn document_column(column: &HeatColumn) -> Vec<u32> {
    let Some(first) = column.counts.iter().position(|count| *count > 0) else { return Vec::new() };
    let last = column.counts.iter().rposition(|count| *count > 0).unwrap_or(first);
    let mut numbers = vec![index(column.first + first)];
    numbers.extend_from_slice(&column.counts[first..=last]);
    numbers
}

fn document_landmark(landmark: &Landmark) -> DocumentLandmark {
    DocumentLandmark {
        label: landmark.label.clone(),
        subject: landmark.subject.map(index),
        at: landmark.at.iter().map(|place| place.is_finite().then_some(*place)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_a_heat_map_begins_and_ends_with_a_count() {
        let column = HeatColumn { first: 4, counts: vec![0, 7, 0, 2, 0] };
        assert_eq!(document_column(&column), [5, 7, 0, 2]);
        assert_eq!(document_column(&HeatColumn::default()), [0; 0]);
    }
}
