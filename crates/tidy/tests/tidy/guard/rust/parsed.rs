//! A file of Rust, parsed once.

use std::collections::BTreeMap;

use quote::ToTokens as _;

use super::facts::{Facts, Name};
use super::product;
use super::walk;

/// A module that lies in a file of its own, as `mod name;` declares it.
#[derive(Debug, PartialEq, Eq)]
pub struct Declared {
    /// The modules of the same file around it.
    pub within: Name,
    /// Its name.
    pub name: String,
    /// The file that `#[path]` names, relative to the folder of the declaring file.
    pub path: Option<String>,
    /// Whether it is compiled for tests alone.
    pub is_for_tests: bool,
}

/// What is known of one file.
pub struct RustFile {
    /// Modules in files of their own.
    pub declared: Vec<Declared>,
    /// Everything in the file, unit tests included, by the modules that are written in it; the empty name is the file's own.
    pub everything: BTreeMap<Name, Facts>,
    /// The same without what is compiled for tests alone.
    pub product: BTreeMap<Name, Facts>,
}

impl RustFile {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// If it is no Rust.
    pub fn parse(text: &str) -> Result<RustFile, String> {
        let mut file =
            syn::parse_file(text).map_err(|error| format!("line {}: {error}", error.span().start().line))?;
        let mut declared = Vec::new();
        let is_for_tests = product::is_for_tests(&file.attrs);
        collect_declared(&file.items, (&Vec::new(), is_for_tests), &mut declared);
        let everything = walk::modules(file.to_token_stream());
        let product = match product::leave_out_tests(&mut file) {
            0 => everything.clone(),
            _ => walk::modules(file.to_token_stream()),
        };
        Ok(RustFile { declared, everything, product })
    }
}

fn collect_declared(items: &[syn::Item], (within, in_tests): (&Name, bool), found: &mut Vec<Declared>) {
    for item in items {
        let syn::Item::Mod(module) = item else { continue };
        let name = walk::plain_name(&module.ident);
        let is_for_tests = in_tests || product::is_for_tests(&module.attrs);
        if let Some((_, inside)) = &module.content {
            let within = [&within[..], &[name]].concat();
            collect_declared(inside, (&within, is_for_tests), found);
        } else {
            let path = module.attrs.iter().find_map(path_of);
            found.push(Declared { within: within.clone(), name, path, is_for_tests });
        }
    }
}

/// The file that an attribute `#[path = "..."]` names.
fn path_of(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(value) = &pair.value else { return None };
    match &value.lit {
        syn::Lit::Str(text) if pair.path.is_ident("path") => Some(text.value()),
        _ => None,
    }
}
