//! Bundles the page: installs its two packages beside the build's output and runs esbuild there.
//!
//! Everything happens in a copy inside `OUT_DIR`, so that two builds at once never share a folder, and
//! nothing that a registry provides lies in the source tree.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What the bundle is made from, besides the folder `src`.
const FILES: [&str; 4] = ["package.json", "package-lock.json", ".npmrc", "build.mjs"];
/// A copy of the lock file that `node_modules` was installed from.
const INSTALLED: &str = "installed-lock.json";
const MISSING: &str = "The pages are bundled with Node.js, and `node` or `npm` was not found. \
                       Install Node.js 18 or newer (with npm) and build again.";

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("page");
    let work = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("page");
    println!("cargo:rerun-if-changed=build.rs");
    for name in FILES.iter().chain(&["src"]) {
        println!("cargo:rerun-if-changed={}", root.join(name).display());
    }
    copy_sources(&root, &work)
        .unwrap_or_else(|error| stop(&format!("cannot copy the page's sources: {error}")));
    install(&work);
    run(Command::new("node").arg("build.mjs").arg("dist").current_dir(&work), "node build.mjs");
}

fn copy_sources(root: &Path, work: &Path) -> io::Result<()> {
    let source = work.join("src");
    if source.exists() {
        fs::remove_dir_all(&source)?;
    }
    fs::create_dir_all(&source)?;
    for name in FILES {
        fs::copy(root.join(name), work.join(name))?;
    }
    for entry in fs::read_dir(root.join("src"))? {
        let entry = entry?;
        fs::copy(entry.path(), source.join(entry.file_name()))?;
    }
    Ok(())
}

/// Installs the packages unless they already are, from this very lock file.
fn install(work: &Path) {
    let wanted = fs::read(work.join("package-lock.json")).unwrap_or_default();
    let installed = fs::read(work.join(INSTALLED)).unwrap_or_default();
    if wanted == installed && work.join("node_modules").is_dir() {
        return;
    }
    println!("cargo:warning=installing the packages that bundle the pages of results (npm ci)");
    let mut npm = Command::new("npm");
    npm.args(["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]);
    run(npm.current_dir(work), "npm ci");
    fs::write(work.join(INSTALLED), wanted).unwrap_or_else(|error| stop(&error.to_string()));
}

fn run(command: &mut Command, name: &str) {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => stop(MISSING),
        Err(error) => stop(&format!("{name} cannot be run: {error}")),
    };
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        stop(&format!("{name} failed ({}):\n{}", output.status, String::from_utf8_lossy(&said)));
    }
}

/// Ends the build with a message and without a backtrace.
fn stop(message: &str) -> ! {
    for line in message.lines() {
        println!("cargo:warning={line}");
    }
    eprintln!("{message}");
    std::process::exit(1)
}
