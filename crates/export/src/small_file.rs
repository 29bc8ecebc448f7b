//! The columns of a Parquet file, and a file of few rows, which is made in memory.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Repetition, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

type WriteColumn = Box<dyn FnOnce(&mut ColumnsWriter<'_, '_, Vec<u8>>) -> Result<()>>;

/// A file of few rows, as it comes into being: its columns one after the other, which docs/exporting.md describes.
pub struct SmallFile {
    schema: String,
    columns: Vec<WriteColumn>,
}

impl SmallFile {
    pub fn new(name: &str) -> SmallFile {
        SmallFile { schema: format!("message {name} {{"), columns: Vec::new() }
    }

    pub fn texts<'t>(
        &mut self,
        repetition: Repetition,
        name: &str,
        texts: impl IntoIterator<Item = Option<&'t str>>,
    ) {
        let texts = texts.into_iter().map(|text| text.map(byte_array));
        self.values::<ByteArrayType>(repetition, &format!("{name} (STRING)"), texts);
    }

    pub fn values<T: DataType>(
        &mut self,
        repetition: Repetition,
        name: &str,
        values: impl IntoIterator<Item = Option<T::T>>,
    ) {
        let _ = write!(self.schema, "{repetition} {} {name};", T::get_physical_type());
        let values: Vec<Option<T::T>> = values.into_iter().collect();
        self.columns.push(Box::new(|out| out.values::<T>(values)));
    }

    /// The file, of one row group with these words in its footer. Equal rows give equal bytes.
    pub fn finish(self, words: &[(&str, &str)]) -> Result<Vec<u8>> {
        let properties = WriterProperties::builder()
            .set_created_by("drivelab".to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(false)
            .set_offset_index_disabled(true);
        let schema = Arc::new(parse_message_type(&(self.schema + "}"))?);
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build()))?;
        let mut group = file.next_row_group()?;
        let mut out = ColumnsWriter(&mut group);
        self.columns.into_iter().try_for_each(|write| write(&mut out))?;
        group.close()?;
        for (name, value) in words {
            file.append_key_value_metadata(KeyValue::new((*name).to_owned(), (*value).to_owned()));
        }
        file.into_inner()
    }
}

fn byte_array(text: &str) -> ByteArray {
    ByteArray::from(text.as_bytes().to_vec())
}

/// Columns that are written one after the other; of each, one value a row.
pub struct ColumnsWriter<'a, 'b, W: Write + Send>(pub &'a mut SerializedRowGroupWriter<'b, W>);

impl<W: Write + Send> ColumnsWriter<'_, '_, W> {
    pub fn texts<'t>(&mut self, texts: impl IntoIterator<Item = Option<&'t str>>) -> Result<()> {
        self.values::<ByteArrayType>(texts.into_iter().map(|text| text.map(byte_array)))
    }

    pub fn values<T: DataType>(&mut self, values: impl IntoIterator<Item = Option<T::T>>) -> Result<()> {
        let missing = || ParquetError::General("the schema has fewer columns".to_owned());
        let mut column = self.0.next_column()?.ok_or_else(missing)?;
        let values: Vec<Option<T::T>> = values.into_iter().collect();
        // A column that has a value in every row takes no notice of this.
        let present: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
        let values: Vec<T::T> = values.into_iter().flatten().collect();
        column.typed::<T>().write_batch(&values, Some(&present), None)?;
        column.close()
    }
}

/// An integer as the file has it. Lengths, times and counts are below 2^63.
pub fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
