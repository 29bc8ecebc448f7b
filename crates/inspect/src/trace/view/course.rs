//! Charts over time: by the clock, and over busy time, from which idle time longer than ten seconds is cut out.

use drivelab_stats::{Course, CourseBin, LONG_IDLE};
use drivelab_view::chart::{Axis, Colours, Data, Extra, Scale, Series, Shape};
use drivelab_view::format::{capitalised, count, nanos};
use drivelab_view::{Block, Chart, Fold, Quantity};

use super::time::{Along, TimeAxes, middles, width_in_words};
use super::{add, chart, drawn, span};
use crate::slow::DIRECTIONS;
use crate::trace::AnalysedTrace;

/// The load, slow I/Os and requests in flight, over one kind of time, and folded away over the other; nothing where the course
/// was not followed.
pub(super) fn charts(shown: &[AnalysedTrace], axes: &TimeAxes) -> Vec<Block> {
    let [first, second] = axes.order();
    let of = |along, ending| {
        let over = Over { shown, along, ending, axis: axes.axis(along) };
        [over.load(), over.slow(), over.in_flight()].into_iter().flatten().collect::<Vec<Block>>()
    };
    let mut blocks = of(first, "");
    let (ending, summary) = match second {
        Along::BusyTime => {
            let idle = nanos(LONG_IDLE as f64);
            ("-busy", format!("The same over busy time, from which idle time longer than {idle} is cut out"))
        }
        Along::AllTime => ("-all", "The same over all time, idle time included".to_owned()),
    };
    let others = of(second, ending);
    if !others.is_empty() {
        blocks.push(Block::Fold(Fold { summary, blocks: others }));
    }
    blocks
}

/// Charts over one kind of time.
struct Over<'a> {
    shown: &'a [AnalysedTrace],
    along: Along,
    /// What their names end with.
    ending: &'static str,
    axis: &'a Axis,
}

fn column(course: &Course, of: impl Fn(&CourseBin) -> Option<f64>) -> Data {
    course.bins.iter().map(|bin| of(bin).unwrap_or(f64::NAN)).collect()
}

impl Over<'_> {
    fn chart(&self, (id, title): (&str, &str), up: Axis) -> Chart {
        let time = match self.along {
            Along::AllTime => "time",
            Along::BusyTime => "busy time",
        };
        let (id, title) = (format!("{id}{}", self.ending), format!("{title} over {time}"));
        let mut made = chart(self.shown, (&id, &title), vec![self.axis.clone()], up);
        made.colours = Colours::OfNames;
        made
    }

    fn courses(&self) -> impl Iterator<Item = (usize, &AnalysedTrace, &Course)> {
        let along = self.along;
        let courses = self.shown.iter().enumerate();
        courses.filter_map(move |(subject, one)| Some((subject, one, along.course(one)?)))
    }

    fn series(&self, (name, subject): (String, usize), course: &Course, shape: Shape, ys: Data) -> Series {
        Series::new(name, subject, shape, middles(course, self.axis), ys)
    }

    /// The values that are there, of as many columns.
    fn points(&self, (name, subject): (&str, usize), course: &Course, shape: Shape, ys: &Data) -> Series {
        let known: Vec<usize> = (0..ys.len()).filter(|place| ys.get(*place).is_finite()).collect();
        let picked = |data: &Data| known.iter().map(|place| data.get(*place)).collect::<Data>();
        Series::new(name, subject, shape, picked(&middles(course, self.axis)), picked(ys))
    }

    fn load(&self) -> Option<Block> {
        let up = Axis::new("Requests a second", Quantity::Iops, Scale::LogOrLinear);
        let mut made = self.chart(("course", "Load"), up);
        for (subject, one, course) in self.courses() {
            for (way, (op, words)) in DIRECTIONS.into_iter().enumerate() {
                if one.analysis.op(op).requests == 0 {
                    continue;
                }
                let seconds = course.clock.column_nanos as f64 / 1e9;
                let ys = column(course, |bin| Some(bin.requests[way] as f64 / seconds));
                let mut series = self.series((capitalised(words), subject), course, Shape::Dots, ys);
                series.extras.push(longest(course, way));
                add(&mut made, series);
            }
            add(&mut made, self.cuts(course, subject));
            made.notes.push(self.note(course, (self.shown.len() > 1).then_some(one.found.trace.as_str())));
        }
        drawn(made, "Dots over time: reads and writes a second.")
    }

    /// Where idle time lies that is cut out of busy time.
    fn cuts(&self, course: &Course, subject: usize) -> Series {
        let cuts = |bin: &CourseBin| (bin.cuts > 0).then_some(f64::from(bin.cuts));
        let name = "Idle for more than 10 s";
        let mut series = self.points((name, subject), course, Shape::TopCrosses, &column(course, cuts));
        series.extras.push(Extra {
            name: "in all".to_owned(),
            quantity: Quantity::Seconds,
            values: course
                .bins
                .iter()
                .filter(|bin| bin.cuts > 0)
                .map(|bin| (bin.cut_nanos / 1_000_000) as f64 / 1e3)
                .collect(),
        });
        series
    }

    fn note(&self, course: &Course, label: Option<&str>) -> String {
        let lead = label.map_or_else(String::new, |label| format!("{label}: "));
        match self.along {
            Along::AllTime => {
                let clock = if self.axis.clock.is_some() { " by the clock" } else { "" };
                format!("{lead}Each column holds {}{clock}, idle time included.", width_in_words(course))
            }
            Along::BusyTime => {
                let (places, cut) = course
                    .bins
                    .iter()
                    .fold((0, 0), |(places, cut), bin| (places + bin.cuts, cut + bin.cut_nanos));
                let columns =
                    format!("{lead}Columns of {} of busy time", nanos(course.clock.column_nanos as f64));
                if places == 0 {
                    return columns + ".";
                }
                let (idle, places) = (nanos(LONG_IDLE as f64), count(f64::from(places)));
                let cut = span(cut);
                format!(
                    "{columns}, from which idle time longer than {idle} is cut out ({cut} in {places} places)."
                )
            }
        }
    }

    fn slow(&self) -> Option<Block> {
        let up = Axis::new("Slow I/Os", Quantity::Count, Scale::Linear);
        let mut made = self.chart(("slow", "Slow I/Os"), up);
        for (subject, one, course) in self.courses() {
            for (way, (op, words)) in DIRECTIONS.into_iter().enumerate() {
                let threshold = one.slow.ios(&one.analysis, op).place;
                let slow =
                    |bin: &CourseBin| Some(f64::from(bin.slow[way][threshold])).filter(|slow| *slow > 0.0);
                let ys = column(course, slow);
                add(&mut made, self.points((&capitalised(words), subject), course, Shape::Dots, &ys));
            }
        }
        drawn(made, "Dots over time: slow reads and slow writes of each column that has any.")
    }

    fn in_flight(&self) -> Option<Block> {
        let up = Axis::new("In flight", Quantity::Number, Scale::LogOrLinear);
        let mut made = self.chart(("in-flight", "Requests in flight"), up);
        for (subject, one, course) in self.courses() {
            if one.found.queue_depth.is_none() {
                continue;
            }
            let mean = |bin: &CourseBin| {
                (bin.depth_count > 0)
                    .then(|| (bin.depth_sum as f64 / bin.depth_count as f64 * 100.0).round() / 100.0)
            };
            let mean = column(course, mean);
            add(&mut made, self.series(("Mean".to_owned(), subject), course, Shape::Dots, mean));
            let max = column(course, |bin| (bin.depth_count > 0).then_some(bin.depth_max as f64));
            add(&mut made, self.series(("Max".to_owned(), subject), course, Shape::SmallDots, max));
        }
        made.notes.push(AT_ISSUE.to_owned());
        drawn(made, "Dots over time: how many requests were in flight, on average and at most.")
    }
}

/// What the figures of requests in flight are.
const AT_ISSUE: &str = "Requests in flight are counted whenever one is issued, that one included.";

fn longest(course: &Course, way: usize) -> Extra {
    let of = |bin: &CourseBin| Some(bin.worst[way]).filter(|worst| *worst > 0).map(|worst| worst as f64);
    Extra { name: "longest".to_owned(), quantity: Quantity::Nanoseconds, values: column(course, of) }
}
