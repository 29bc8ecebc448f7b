//! What every picture has to be, whatever its chart holds, and what single ones have to show.

use std::sync::{Arc, LazyLock};

use drivelab_view::chart::{
    Axis, Colours, Data, Heat, HeatColumn, Landmark, Scale, Series, Shape, Size, Spread, Ticks,
};
use drivelab_view::{Chart, Quantity, Subject, png, svg};
use proptest::prelude::*;
use resvg::tiny_skia::Rect;
use resvg::usvg::{Group, Node, Options, TextChunk, Tree, fontdb};

const SHAPES: [Shape; 10] = [
    Shape::Dots,
    Shape::SmallDots,
    Shape::Rings,
    Shape::TopCrosses,
    Shape::Line,
    Shape::DashedLine,
    Shape::DottedLine,
    Shape::Steps,
    Shape::Bars,
    Shape::Band,
];
const QUANTITIES: [Quantity; 17] = [
    Quantity::Count,
    Quantity::Lba,
    Quantity::Iops,
    Quantity::BytesPerSecond,
    Quantity::Bytes,
    Quantity::BlockSize,
    Quantity::Nanoseconds,
    Quantity::Seconds,
    Quantity::Share,
    Quantity::Factor,
    Quantity::Number,
    Quantity::Watts,
    Quantity::Joules,
    Quantity::JoulesPerGigabyte,
    Quantity::IopsPerWatt,
    Quantity::Celsius,
    Quantity::Amperes,
];

fn subjects(count: usize) -> Vec<Subject> {
    (0..count).map(|index| Subject::new(format!("Drive {index}"), "")).collect()
}

fn rate_chart(scale: Scale) -> Chart {
    let time = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    Chart::new("rate", "Rate", vec![time], Axis::new("Rate", Quantity::Iops, scale))
}

fn add(chart: &mut Chart, subject: usize, shape: Shape, values: &[f64]) {
    let points = (0u32..).zip(values).map(|(place, value)| (f64::from(place), *value));
    let series = Series::of_points(format!("Drive {subject}"), subject, shape, points);
    chart.series.push(series);
}

/// The value of an attribute of the elements that have another attribute of this value.
fn attributes(svg: &str, attribute: &str, of: (&str, &str)) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let elements = document.descendants().filter(|node| node.attribute(of.0) == Some(of.1));
    elements.filter_map(|node| node.attribute(attribute)).map(str::to_owned).collect()
}

fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

#[test]
fn crosses_at_the_edge_do_not_run_together() {
    let count = |values: usize| {
        let mut chart = rate_chart(Scale::Linear);
        let values: Vec<f64> = vec![1.0; values];
        add(&mut chart, 0, Shape::Dots, &values);
        add(&mut chart, 0, Shape::TopCrosses, &values);
        let picture = svg(&chart, &subjects(1));
        picture.matches("m-5 -5l10 10").count()
    };
    assert_eq!(count(5), 5);
    assert!(count(2_000) < 200, "{}", count(2_000));
}

#[test]
fn a_missing_value_leaves_a_gap_in_a_line() {
    let mut chart = rate_chart(Scale::Linear);
    add(&mut chart, 0, Shape::Line, &[1.0, 2.0, f64::NAN, 3.0, 4.0, f64::NAN, 5.0]);
    let paths = attributes(&svg(&chart, &subjects(1)), "d", ("stroke", "#0b66b3"));
    let [path] = paths.as_slice() else { panic!("one line: {paths:?}") };
    assert_eq!((path.matches('M').count(), path.matches('L').count()), (3, 2));
    assert!(path.ends_with("h0"), "a value without neighbours is a point: {path}");
}

#[test]
fn a_zero_on_a_logarithmic_axis_is_a_hollow_mark_that_the_legend_explains() {
    let mut chart = rate_chart(Scale::Log);
    add(&mut chart, 0, Shape::Dots, &[1_000.0, 0.0, 2_000.0]);
    let picture = svg(&chart, &subjects(1));
    let hollow = attributes(&picture, "d", ("stroke-width", "1.6"));
    assert_eq!(hollow.len(), 2, "on the floor and in the legend");
    assert!(texts(&picture).iter().any(|text| text.starts_with("zero, ")));
    chart.up.scale = Scale::Linear;
    assert!(attributes(&svg(&chart, &subjects(1)), "d", ("stroke-width", "1.6")).is_empty());
}

#[test]
fn an_interval_does_not_stretch_the_axis_but_ends_in_an_arrow() {
    let mut chart = rate_chart(Scale::Linear);
    let mut series = Series::of_points("mean", 0, Shape::DottedLine, [(0.0, 40.0), (1.0, 100.0)]);
    let spread = |high: f64| Spread {
        low: [30.0, 90.0].into_iter().collect(),
        high: [50.0, high].into_iter().collect(),
    };
    series.spread = Some(spread(1_000.0));
    chart.series = vec![series.clone()];
    let cut = texts(&svg(&chart, &subjects(1)));
    assert!(cut.contains(&"100".to_owned()) && !cut.contains(&"1,000".to_owned()), "{cut:?}");
    assert!(cut.iter().any(|text| text.contains("beyond the axis")));
    series.spread = Some(spread(100.0));
    chart.series = vec![series];
    let whole = texts(&svg(&chart, &subjects(1)));
    assert!(!whole.iter().any(|text| text.contains("beyond the axis")));
}

#[test]
fn four_subjects_have_frames_of_their_own_and_three_share_one() {
    let frames = |count: usize, colours: Colours| {
        let mut chart = rate_chart(Scale::Linear);
        chart.colours = colours;
        (0..count).for_each(|subject| add(&mut chart, subject, Shape::Line, &[1.0, 2.0]));
        svg(&chart, &subjects(count)).matches("<g ").count()
    };
    assert_eq!([1, 3, 4, 9].map(|count| frames(count, Colours::OfSubjects)), [1, 1, 4, 9]);
    assert_eq!([1, 3].map(|count| frames(count, Colours::OfNames)), [1, 3]);
}

#[test]
fn dots_of_a_series_are_one_path_and_extremes_of_a_long_line_survive_thinning() {
    let mut values: Vec<f64> = (0..20_000u32).map(|place| 50.0 + f64::from(place % 7)).collect();
    values[12_345] = 900.0;
    let paths = |shape: Shape| {
        let mut chart = rate_chart(Scale::Linear);
        add(&mut chart, 0, shape, &values);
        attributes(&svg(&chart, &subjects(1)), "d", ("stroke", "#0b66b3"))
    };
    assert_eq!(paths(Shape::Dots).len(), 1);
    let line = paths(Shape::Line).concat();
    let heights: Vec<f64> =
        line.split(['M', 'L']).filter_map(|spot| spot.split_once(' ')?.1.parse().ok()).collect();
    assert!((2_000..7_000).contains(&heights.len()), "{} spots", heights.len());
    let top = heights.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(top < heights[0] / 2.0, "the outlier at {top} is kept above the others at {}", heights[0]);
}

#[test]
fn a_picture_of_every_shape_renders_to_pixels() {
    let mut chart = rate_chart(Scale::LogOrLinear);
    for (subject, shape) in SHAPES.into_iter().enumerate() {
        add(&mut chart, subject % 3, shape, &[1.0, 0.0, 30.0, 9_000.0]);
    }
    chart.size = Size::Small;
    let pixels = png(&chart, &subjects(3)).expect("a picture");
    assert!(pixels.starts_with(b"\x89PNG"));
    chart.series.clear();
    assert!(png(&chart, &[]).is_ok(), "an empty chart is a picture too");
}

/// Numbers of every kind: ordinary, missing, infinite, huge, tiny, negative, and equal ones.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => 0.0..1e6,
        2 => -1e3..1e3,
        2 => Just(0.0),
        2 => Just(7.0),
        1 => any::<f64>(),
        1 => prop_oneof![
            Just(f64::NAN),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(f64::MAX),
            Just(f64::MIN),
            Just(f64::MIN_POSITIVE),
            Just(-0.0),
        ],
    ]
}

fn numbers() -> impl Strategy<Value = Data> {
    let sorted = |mut numbers: Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        numbers.into_iter().collect()
    };
    prop_oneof![
        prop::collection::vec(number(), 0..12).prop_map(|numbers| numbers.into_iter().collect()),
        prop::collection::vec(number(), 0..12).prop_map(sorted),
        (number(), number(), 0usize..12).prop_map(|(start, step, count)| Data::Regular {
            start,
            step,
            count
        }),
    ]
}

fn ascending() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(number(), 0..6).prop_map(|mut values| {
        values.sort_by(f64::total_cmp);
        values
    })
}

fn axis() -> impl Strategy<Value = Axis> {
    let scale = prop::sample::select(vec![Scale::Linear, Scale::Log, Scale::LogOrLinear]);
    let named = |values: Vec<f64>| {
        Ticks::Named(values.into_iter().map(|value| (value, "a rather long name <&>".to_owned())).collect())
    };
    let ticks = prop_oneof![
        3 => Just(Ticks::Round),
        1 => ascending().prop_map(Ticks::At),
        1 => ascending().prop_map(named),
    ];
    let span = prop::option::weighted(0.3, (number(), number()));
    let quantity = prop::sample::select(QUANTITIES.to_vec());
    (quantity, scale, ticks, span).prop_map(|(quantity, scale, ticks, span)| {
        let label = "Something".to_owned();
        Axis { label, quantity, scale, span, ticks, clock: None, command: None }
    })
}

fn series() -> impl Strategy<Value = Series> {
    let spread = prop::option::of((numbers(), numbers()).prop_map(|(low, high)| Spread { low, high }));
    let shape = prop::sample::select(SHAPES.to_vec());
    let name = prop::sample::select(vec!["Reads", "Writes", "Drive 1"]);
    (name, 0usize..6, shape, prop::collection::vec(numbers(), 0..2), numbers(), spread).prop_map(
        |(name, subject, shape, xs, ys, spread)| Series {
            name: name.to_owned(),
            subject,
            shape,
            xs,
            ys,
            spread,
            extras: Vec::new(),
        },
    )
}

fn heat() -> impl Strategy<Value = Heat> {
    let column = (0usize..9, prop::collection::vec(0u32..1_000, 0..6));
    let columns = prop::collection::vec(column, 0..6);
    (0usize..6, number(), number(), numbers(), columns).prop_map(|(subject, start, width, edges, columns)| {
        let columns = columns.into_iter().map(|(first, counts)| HeatColumn { first, counts }).collect();
        let (name, unit) = ("Reads".to_owned(), "I/Os".to_owned());
        Heat { name, subject, start, width, edges, columns, unit, quantity: Quantity::Count }
    })
}

fn chart() -> impl Strategy<Value = Chart> {
    let plots = (prop::collection::vec(series(), 0..6), prop::collection::vec(heat(), 0..3));
    let landmarks = prop::collection::vec((prop::option::of(0usize..6), number()), 0..6);
    let colours = prop::sample::select(vec![Colours::OfSubjects, Colours::OfNames]);
    let size = prop::sample::select(vec![Size::Wide, Size::Small]);
    let across = prop::collection::vec(axis(), 0..2);
    (across, axis(), plots, landmarks, colours, size).prop_map(|(across, up, plots, marks, colours, size)| {
        let mut chart = Chart::new("any", "Any chart", across, up);
        let mark = |(subject, at)| Landmark { label: "a place".to_owned(), subject, at: vec![at] };
        chart.landmarks = marks.into_iter().map(mark).collect();
        (chart.series, chart.heats) = plots;
        (chart.colours, chart.size) = (colours, size);
        chart
    })
}

/// The boxes of all horizontal words of a picture, as they are laid out with the font of its PNG, and the picture's own.
fn boxes_of_words(picture: &str) -> (Vec<(String, Rect)>, Rect) {
    let mut options = Options { font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    options.fontdb = Arc::clone(&FONTS);
    let tree = Tree::from_str(picture, &options).expect("SVG");
    let mut found = Vec::new();
    collect_words(tree.root(), &mut found);
    (found, Rect::from_xywh(0.0, 0.0, tree.size().width(), tree.size().height()).expect("a size"))
}

fn collect_words(group: &Group, found: &mut Vec<(String, Rect)>) {
    for node in group.children() {
        match node {
            Node::Group(inner) => collect_words(inner, found),
            Node::Text(text) if !text.abs_transform().has_skew() => {
                let words = text.chunks().iter().map(TextChunk::text).collect();
                found.push((words, text.abs_bounding_box()));
            }
            _ => {}
        }
    }
}

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    Arc::new(fonts)
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_words_are_cut_or_lie_over_others(chart in chart(), label in "[A-Za-z ,]{0,60}") {
        let mut subjects = subjects(6);
        subjects[1].label = label;
        let (boxes, picture) = boxes_of_words(&svg(&chart, &subjects));
        prop_assert!(boxes.len() > 2, "a title and ticks at least");
        for (index, (words, one)) in boxes.iter().enumerate() {
            let is_inside = one.left() >= 0.0 && one.top() >= 0.0;
            let is_inside = is_inside && one.right() <= picture.right() && one.bottom() <= picture.bottom();
            prop_assert!(is_inside, "{words} at {one:?} of {picture:?}");
            for (other_words, other) in &boxes[..index] {
                let across = one.right().min(other.right()) - one.left().max(other.left());
                let down = one.bottom().min(other.bottom()) - one.top().max(other.top());
                // The box of a line is as high as its font's ascent and descent, of which no words fill both.
                prop_assert!(across < 1.0 || down < 4.0, "{words} {one:?} over {other_words} {other:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_picture_is_valid_and_holds_numbers_only(chart in chart()) {
        let picture = svg(&chart, &subjects(4));
        let document = roxmltree::Document::parse(&picture);
        prop_assert!(document.is_ok(), "{:?}", document.err());
        prop_assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        let longest = texts(&picture).iter().map(|text| text.chars().count()).max().unwrap_or(0);
        prop_assert!(longest < 90, "{picture}");
    }
}
