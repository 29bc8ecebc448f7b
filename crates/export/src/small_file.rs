//! A Parquet file of few rows, which is made in memory.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

/// A file of one row group with these words in its footer. Equal rows give equal bytes.
pub fn small_file(
    schema: &str,
    words: &[(&str, &str)],
    write: impl FnOnce(&mut ColumnsWriter<'_, '_>) -> Result<()>,
) -> Result<Vec<u8>> {
    let properties = WriterProperties::builder()
        .set_created_by("drivelab".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_offset_index_disabled(true);
    let mut file = SerializedFileWriter::new(
        Vec::new(),
        Arc::new(parse_message_type(schema)?),
        Arc::new(properties.build()),
    )?;
    let mut group = file.next_row_group()?;
    write(&mut ColumnsWriter(&mut group))?;
    group.close()?;
    for (name, value) in words {
        file.append_key_value_metadata(KeyValue::new((*name).to_owned(), (*value).to_owned()));
    }
    file.into_inner()
}

/// Columns that are written one after the other; of each, one value a row.
pub struct ColumnsWriter<'a, 'b>(&'a mut SerializedRowGroupWriter<'b, Vec<u8>>);

impl ColumnsWriter<'_, '_> {
    pub fn texts<'t>(&mut self, texts: impl IntoIterator<Item = Option<&'t str>>) -> Result<()> {
        let bytes = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        self.values::<ByteArrayType>(texts.into_iter().map(|text| text.map(bytes)))
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
