//! How files begin: with a mark of their encoding, or as something that is no trace.

use drivelab_trace::Format;

use crate::formats::trial::Trial;

/// Six formats whose first line is a request, and one that is known by its first line.
#[test]
fn a_byte_order_mark_costs_no_request() {
    let rows: [(Format, &str); 7] = [
        (
            Format::Msr,
            "128166372003061629,hm,0,Read,1024,4096,2833\n128166372003061729,hm,1,Write,8192,512,100\n",
        ),
        (Format::Alibaba, "64,R,4096,8192,1577808000000000\n64,W,8192,4096,1577808000000100\n"),
        (Format::Tencent, "1538323200,12910952,128,0,1063\n1538323200,6338688,8,1,1627\n"),
        (
            Format::Fiu,
            "89967396137 4892 syslogd 904265560 8 W 6 0 6a\n89967406137 4892 syslogd 904265568 8 R 6 0 6b\n",
        ),
        (Format::Mqsim, "128 0 4096 8 1\n256 0 8192 8 0\n"),
        (
            Format::Blkparse,
            "  8,0 3 1 0.000000000 697 D R 8 + 8 [a]\n  8,0 3 2 0.000100000 0 C R 8 + 8 [0]\n",
        ),
        (Format::Fio, "fio version 3 iolog\n0 f add\n1 f open\n2 f read 0 4096\n9 f write 4096 4096\n"),
    ];
    for (format, text) in rows {
        let plain = Trial::new().of_text(text, format);
        let marked = Trial::new().of_text(&format!("\u{feff}{text}"), format);
        assert_eq!(marked.lines(), plain.lines(), "{}", format.word());
        assert_eq!(marked.account().rejected, [].into(), "{}", format.word());
        assert_eq!(marked.account().other_lines, plain.account().other_lines, "{}", format.word());
        assert!(!plain.lines().is_empty());
    }
}

#[test]
fn what_to_do_with_a_binary_file_depends_on_what_it_is() {
    let trial = Trial::new();
    let said = |name: &str, start: &[u8]| {
        let bytes = [start, &[0; 8_192]].concat();
        trial.import(&[trial.file(name, &bytes)], None).expect_err("no trace").to_string()
    };
    let perf = said("perf.data", b"PERFILE2");
    assert!(perf.contains("perf script") && !perf.contains("format files"), "{perf}");
    let trace_cmd = said("trace.dat", b"\x17\x08\x44tracing6");
    assert!(trace_cmd.contains("trace-cmd report"), "{trace_cmd}");
    let program = said("program", b"\x7fELF\x02\x01\x01");
    assert!(program.contains("not text") && !program.contains("format files"), "{program}");
    // A page has a time, and how much of it is in use.
    let page = said("page", &[&7_000_000_u64.to_ne_bytes()[..], &4_080_u64.to_ne_bytes()].concat());
    assert!(page.contains("format files of their events"), "{page}");
}
