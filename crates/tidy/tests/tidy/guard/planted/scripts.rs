//! Faults of scripts.

use crate::guard::sources::planted;
use crate::guard::{circles, sizes, typescript};

#[test]
fn a_circle_of_scripts_is_seen_however_it_is_written() {
    for import in [
        "import { a } from \"./b\";",
        "import a, { type B as C } from './b';",
        "import * as all from \"./b\"",
        "import type { B } from \"./b\";",
        "import \"./b\";",
        "import \"./b.js\";",
        "export { a as b } from \"./b\";",
        "export * from \"../src/b\";",
        "export type { B } from \"./b\";",
        "const later = await import(\"./b\");",
        "const later = import(`./b`);",
        "const old = require(\"./b\");",
        "import old = require(\"./b\");",
        "let b: typeof import(\"./b\");",
        "const x = /[/*\"]/; /* a */ import { a } from \"./b\";",
        "const t = `${f(\"}\")} // ${`in`}`; import { a } from \"./b\";",
    ] {
        let sources = planted(&[
            ("page/src/a.ts", import),
            ("page/src/b.ts", "import { c } from \"./c\";"),
            ("page/src/c.ts", "import { a } from \"./a\";"),
        ]);
        assert_eq!(typescript::arrows(&sources).lost, Vec::<String>::new(), "{import}");
        let found = circles::of_typescript(&sources);
        assert_eq!(found.len(), 1, "{import}");
        assert!(found[0].contains("(page/src/a, page/src/b, page/src/c)"), "{}", found[0]);
    }
    for harmless in [
        "// import { a } from \"./b\";",
        "/* import \"./b\" */",
        "const text = 'import { a } from \"./b\"';",
        "const text = `import { a } from \"./b\"`;",
        "file.import(\"./b\"); export const from = 1;",
        "import uPlot from \"uplot\";",
    ] {
        let sources =
            planted(&[("page/src/a.ts", harmless), ("page/src/b.ts", "import { a } from \"./a\";")]);
        assert_eq!(circles::of_typescript(&sources), Vec::<String>::new(), "{harmless}");
    }
}

#[test]
fn an_import_that_leads_nowhere_or_is_computed_is_found() {
    let lost = |text: &str| typescript::arrows(&planted(&[("page/src/a.ts", text)])).lost;
    assert_eq!(lost("import { a } from \"./gone\";"), ["page/src/a.ts:1: ./gone is not there"]);
    assert_eq!(lost("\nawait import(name);"), ["page/src/a.ts:2: an import that is computed"]);
    assert_eq!(lost("await import(`./${name}`);").len(), 1);
}

#[test]
fn a_long_function_of_a_script_is_found() {
    let body = "  a();\n".repeat(68);
    let found = |text: String| sizes::long_script_functions(&planted(&[("page/src/a.ts", &text)]));
    assert_eq!(found(format!("function f(x: {{ a: 1 }}): void {{\n{body}}}\n")), Vec::<String>::new());
    let longer = format!("{body}  b(\"}}\", `${{c}}`, /}}/); // }}\n");
    assert_eq!(found(format!("// }}\nfunction f({{ a }} = {{}}): void {{\n{longer}}}\n")).len(), 1);
    assert_eq!(found(format!("const f = (): void => {{\n{longer}}};\n")).len(), 1);
}
