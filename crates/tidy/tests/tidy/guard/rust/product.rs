//! What is compiled for tests alone is taken out, and nothing else.

use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Meta, Token};

/// Whether attributes say that what they stand on is compiled for tests alone: `#[cfg(test)]`, and conditions that imply it.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg")
            && list.parse_args::<Meta>().is_ok_and(|condition| holds_in_product(&condition) == Some(false))
    })
}

/// Whether a condition holds where no test is compiled; none if that depends on something else.
pub fn holds_in_product(condition: &Meta) -> Option<bool> {
    match condition {
        Meta::Path(path) if path.is_ident("test") => Some(false),
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
            let known: Vec<Option<bool>> = parts.iter().map(holds_in_product).collect();
            if list.path.is_ident("not") && known.len() == 1 {
                return known[0].map(|holds| !holds);
            }
            if list.path.is_ident("all") && known.contains(&Some(false)) {
                return Some(false);
            }
            if list.path.is_ident("any") && known.iter().all(|one| *one == Some(false)) {
                return Some(false);
            }
            None
        }
        _ => None,
    }
}

/// Takes out of a file what is compiled for tests alone, and returns how many things these were.
pub fn leave_out_tests(file: &mut syn::File) -> usize {
    let mut leaver = Leaver { left_out: 0 };
    if is_for_tests(&file.attrs) {
        leaver.left_out += file.items.len();
        file.items.clear();
    }
    leaver.visit_file_mut(file);
    leaver.left_out
}

struct Leaver {
    left_out: usize,
}

impl Leaver {
    /// Keeps those of a list that the product has.
    fn keep<T>(&mut self, all: &mut Vec<T>, attributes: impl Fn(&T) -> &[Attribute]) {
        let before = all.len();
        all.retain(|one| !is_for_tests(attributes(one)));
        self.left_out += before - all.len();
    }

    /// The same of a list with signs between its members.
    fn keep_separated<T, P: Default>(
        &mut self,
        all: &mut Punctuated<T, P>,
        attributes: impl Fn(&T) -> &[Attribute],
    ) {
        if all.iter().any(|one| is_for_tests(attributes(one))) {
            let (kept, gone): (Vec<T>, Vec<T>) =
                std::mem::take(all).into_iter().partition(|one| !is_for_tests(attributes(one)));
            self.left_out += gone.len();
            *all = kept.into_iter().collect();
        }
    }
}

/// The attributes of one of the kinds that are named.
macro_rules! attributes_of {
    ($thing:expr, $family:ident: $($kind:ident)*) => {
        match $thing {
            $(syn::$family::$kind(one) => &one.attrs,)*
            _ => &[],
        }
    };
}

fn of_item(item: &syn::Item) -> &[Attribute] {
    attributes_of!(item, Item: Const Enum ExternCrate Fn ForeignMod Impl Macro Mod Static Struct Trait TraitAlias Type Union Use)
}

fn of_statement(statement: &syn::Stmt) -> &[Attribute] {
    match statement {
        syn::Stmt::Local(one) => &one.attrs,
        syn::Stmt::Item(item) => of_item(item),
        syn::Stmt::Macro(one) => &one.attrs,
        syn::Stmt::Expr(one, _) => attributes_of!(
            one,
            Expr: Assign Async Await Binary Block Break Call Closure Continue ForLoop If Loop Macro Match MethodCall Return
            Try Unsafe While
        ),
    }
}

impl VisitMut for Leaver {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        self.keep(&mut file.items, of_item);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            self.keep(items, of_item);
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        self.keep(&mut block.items, |item| attributes_of!(item, ImplItem: Const Fn Type Macro));
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_item_trait_mut(&mut self, block: &mut syn::ItemTrait) {
        self.keep(&mut block.items, |item| attributes_of!(item, TraitItem: Const Fn Type Macro));
        visit_mut::visit_item_trait_mut(self, block);
    }

    fn visit_item_foreign_mod_mut(&mut self, block: &mut syn::ItemForeignMod) {
        self.keep(&mut block.items, |item| attributes_of!(item, ForeignItem: Fn Static Type Macro));
        visit_mut::visit_item_foreign_mod_mut(self, block);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.keep(&mut block.stmts, of_statement);
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_match_mut(&mut self, matched: &mut syn::ExprMatch) {
        self.keep(&mut matched.arms, |arm| &arm.attrs);
        visit_mut::visit_expr_match_mut(self, matched);
    }

    fn visit_fields_named_mut(&mut self, fields: &mut syn::FieldsNamed) {
        self.keep_separated(&mut fields.named, |field| &field.attrs);
        visit_mut::visit_fields_named_mut(self, fields);
    }

    fn visit_fields_unnamed_mut(&mut self, fields: &mut syn::FieldsUnnamed) {
        self.keep_separated(&mut fields.unnamed, |field| &field.attrs);
        visit_mut::visit_fields_unnamed_mut(self, fields);
    }

    fn visit_item_enum_mut(&mut self, choice: &mut syn::ItemEnum) {
        self.keep_separated(&mut choice.variants, |variant| &variant.attrs);
        visit_mut::visit_item_enum_mut(self, choice);
    }

    fn visit_expr_struct_mut(&mut self, made: &mut syn::ExprStruct) {
        self.keep_separated(&mut made.fields, |field| &field.attrs);
        visit_mut::visit_expr_struct_mut(self, made);
    }
}
