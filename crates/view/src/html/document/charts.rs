//! Charts as a document holds them.

use super::pool::{ColumnPool, index};
use super::{
    Document, DocumentCatalogue, DocumentChart, DocumentExtra, DocumentHeat, DocumentSeries, DocumentSubject,
    DocumentView,
};
use crate::chart::{Colours, Heat, HeatColumn, Series, Size};
use crate::html::context::{Looks, SHAPES, anchors, place};
use crate::{Block, Chart, Page, Subject, View};

pub(in crate::html) fn document(page: &Page, looks: &Looks) -> Document {
    let mut pool = ColumnPool::default();
    let views = page.views.iter().zip(anchors(page));
    let views = views.map(|(view, anchor)| document_view(view, anchor, looks, &mut pool)).collect();
    Document { columns: pool.columns(), marks: SHAPES.to_vec(), views }
}

fn document_view<'a>(
    view: &'a View,
    anchor: String,
    looks: &Looks,
    pool: &mut ColumnPool<'a>,
) -> DocumentView {
    let facets = view.subjects.first().map_or(&[][..], |subject| &subject.facets);
    let catalogues = view.blocks().into_iter().filter_map(|block| match block {
        Block::Catalogue(catalogue) => Some(DocumentCatalogue {
            place: place(&anchor, &catalogue.id),
            rows: catalogue.rows.iter().map(|row| row.head.clone()).collect(),
            curves: catalogue.curves.as_ref().map(|chart| document_chart(chart, &anchor, pool)),
        }),
        _ => None,
    });
    let catalogues = catalogues.collect();
    let subject = |subject: &Subject| DocumentSubject {
        label: subject.label.clone(),
        look: index(looks.find(&subject.label)),
        facets: subject.facets.iter().map(|facet| facet.value.clone()).collect(),
    };
    DocumentView {
        title: view.title.clone(),
        facets: facets.iter().map(|facet| facet.name.clone()).collect(),
        subjects: view.subjects.iter().map(subject).collect(),
        catalogues,
        charts: view.charts().map(|chart| document_chart(chart, &anchor, pool)).collect(),
        anchor,
    }
}

fn document_chart<'a>(chart: &'a Chart, anchor: &str, pool: &mut ColumnPool<'a>) -> DocumentChart {
    DocumentChart {
        place: place(anchor, &chart.id),
        id: chart.id.clone(),
        title: chart.title.clone(),
        across: chart.across.clone(),
        up: chart.up.clone(),
        series: chart.series.iter().map(|series| document_series(series, pool)).collect(),
        heats: chart.heats.iter().map(|heat| document_heat(heat, pool)).collect(),
        landmarks: chart.landmarks.clone(),
        by_name: chart.colours == Colours::OfNames,
        small: chart.size == Size::Small,
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
        shape: series.shape,
        xs: series.xs.iter().map(|xs| pool.add(xs)).collect(),
        ys: pool.add(&series.ys),
        low: series.spread.as_ref().map(|spread| pool.add(&spread.low)),
        high: series.spread.as_ref().map(|spread| pool.add(&spread.high)),
        extras: series.extras.iter().map(|one| extra(pool, one)).collect(),
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
