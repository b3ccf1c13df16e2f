//! Every code a finding can have, with its severity and a line that explains it.
//!
//! Scripts rely on codes: a code is never renamed, and its meaning does not change. Each has a
//! folder of the same name, in lower case, in `fixtures/findings`; its snapshots are written by
//! `INSTA_UPDATE=always .ci/cargo test --workspace --test cli every_code`.

use std::fmt;

use serde::{Serialize, Serializer};

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The record, or the whole export, cannot be used.
    Error,
    /// Usable, but probably not what was meant.
    Warning,
}

impl Severity {
    /// The word shown to people and in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// What a finding blames: its record, or the export as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// Leaving the record out fixes the export.
    Record,
    /// Leaving records out does not help: the export as a whole is damaged or incomplete.
    Export,
}

use Blame::{Export, Record};
use Severity::{Error, Warning};

macro_rules! codes {
    ($($variant:ident $text:literal $severity:ident $blame:ident $explanation:literal,)+) => {
        /// A stable name for one way in which an export can be wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $explanation] $variant,)+
        }

        impl Code {
            /// All codes, grouped by what they are about.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The code as scripts see it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Whether the finding makes the export unusable.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => $severity,)+ }
            }

            /// Whether leaving a record out would fix it.
            pub const fn blame(self) -> Blame {
                match self { $(Self::$variant => $blame,)+ }
            }

            /// One line that says what the code means.
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $explanation,)+ }
            }
        }
    };
}

codes! {
    // Files.
    FileTruncated "FILE_TRUNCATED" Error Export
        "A file ends early: a cut compressed file or archive, or a last line that breaks off.",
    FileCorrupt "FILE_CORRUPT" Error Export
        "A file cannot be decoded: its compression, its archive, or the form that a mapping names.",
    MemberRefused "MEMBER_REFUSED" Error Export
        "What would be read is no file, or a link that is not followed, or its path is absolute or has `..`.",
    NoExportFiles "NO_EXPORT_FILES" Error Export
        "A folder or an archive has no file that is read, or a named file is none that the mapping reads.",
    TypeNotFound "TYPE_NOT_FOUND" Warning Export
        "The export has no record of a type that a rule or a join of the mapping is for.",
    RecordsUnidentified "RECORDS_UNIDENTIFIED" Warning Export
        "Records have no key or no type by which the mapping could know them; they are not read.",
    DuplicateKey "DUPLICATE_KEY" Warning Record
        "Two records have the key by which others refer to them; the first published one is meant.",
    PublishedKeyNotFound "PUBLISHED_KEY_NOT_FOUND" Warning Export
        "No record of a type has a key by which the mapping tells what is published.",
    UnpublishedReference "UNPUBLISHED_REFERENCE" Warning Export
        "Published records refer to unpublished ones; such references come to nothing.",
    MergedRecordsDiffer "MERGED_RECORDS_DIFFER" Warning Export
        "A rule with `distinct` made one record of several that differ; the first one counts.",
    MarkdownNotRead "MARKDOWN_NOT_READ" Warning Export
        "Texts that look like Markdown are read by `plain`, and stay as they are.",
    AmbiguousNumbers "AMBIGUOUS_NUMBERS" Warning Export
        "Nothing in a column tells whether its points stand before decimals or between thousands; say so in the mapping.",
    MixedNumbers "MIXED_NUMBERS" Error Export
        "The numbers of a column are written by two conventions, so that one of them would be read wrong.",
    SpreadsheetError "SPREADSHEET_ERROR" Warning Export
        "Values are errors of a spreadsheet, such as `#N/A`; they count as empty.",
    EncodingDoubtful "ENCODING_DOUBTFUL" Warning Export
        "A file is read in another encoding, though all of it is valid UTF-8 with more than ASCII.",
    RichTextNotRead "RICH_TEXT_NOT_READ" Warning Export
        "Rich text has nodes of a kind that `plain` does not know; of these it keeps little or nothing.",
    ImageWithoutSize "IMAGE_WITHOUT_SIZE" Warning Export
        "Images of mapped records have no width or no height; they are left out.",
    FileNotRead "FILE_NOT_READ" Warning Export
        "The export has files that may hold records, and the mapping reads none of them.",
    ListNotRead "LIST_NOT_READ" Warning Export
        "A JSON document has a list of objects beside those that the mapping reads.",
    SourceWithoutFiles "SOURCE_WITHOUT_FILES" Warning Export
        "The export has no file that a source of the mapping asks for.",
    SourceWithoutRecords "SOURCE_WITHOUT_RECORDS" Warning Export
        "The files that a source of the mapping asks for have no record for it.",
    JoinWithoutRecords "JOIN_WITHOUT_RECORDS" Warning Export
        "No published record refers to another one in the way that a join of the mapping says.",
    RecordsNotFound "RECORDS_NOT_FOUND" Error Export
        "A file has no list of records where the mapping says they are.",
    ChangedSincePublication "CHANGED_SINCE_PUBLICATION" Warning Export
        "Published records were changed afterwards, and the export has the changed contents.",
    FolderSkipped "FOLDER_SKIPPED" Warning Export
        "A folder within a folder has files that would be read elsewhere; they are not read.",
    // The export as a whole.
    UnsupportedFormat "UNSUPPORTED_FORMAT" Error Export
        "The catalogue record names another format than `boat-catalogue/1`.",
    DuplicateCatalogue "DUPLICATE_CATALOGUE" Error Export
        "There is more than one catalogue record.",
    CountMismatch "COUNT_MISMATCH" Error Export
        "The export has another number of records of a kind than its catalogue record says.",
    NoRecords "NO_RECORDS" Error Export
        "The export is empty: it has no record of any kind.",
    NoPublishedBoats "NO_PUBLISHED_BOATS" Warning Export
        "The export has no published boat that could be served.",
    TooMuchToHold "TOO_MUCH_TO_HOLD" Error Export
        "The records that boats may refer to have more than 128 MiB together.",
    // Lines.
    LineTooLong "LINE_TOO_LONG" Error Record
        "A line is longer than 1 MiB; of a file that a mapping reads, a record than 16 MiB.",
    InvalidUtf8 "INVALID_UTF8" Error Record
        "A line is not UTF-8.",
    InvalidJson "INVALID_JSON" Error Record
        "A line is not one JSON value.",
    NestedTooDeep "NESTED_TOO_DEEP" Error Record
        "Objects and lists are nested more than 32 deep; in files that a mapping reads, 128.",
    TooManyValues "TOO_MANY_VALUES" Error Record
        "A record has more than 250,000 values, those in lists and objects included.",
    NotAnObject "NOT_AN_OBJECT" Error Record
        "A line is JSON, but not an object.",
    UnknownKind "UNKNOWN_KIND" Error Record
        "The `kind` of a record is not one of this format.",
    MappingFailed "MAPPING_FAILED" Error Record
        "An expression of the mapping has no value for a record.",
    InvalidRow "INVALID_ROW" Error Record
        "A row of a CSV file has other cells than its header, or one of a Parquet file a value that JSON cannot hold.",
    // Keys.
    MissingField "MISSING_FIELD" Error Record
        "A required value is absent, null or blank.",
    UnknownField "UNKNOWN_FIELD" Error Record
        "A key is not one of this format.",
    RepeatedKey "REPEATED_KEY" Error Record
        "An object has the same key twice.",
    DerivedField "DERIVED_FIELD" Error Record
        "A key holds what the import derives by itself.",
    ExpandedReference "EXPANDED_REFERENCE" Error Record
        "A reference is an embedded object instead of an id.",
    // Values.
    WrongType "WRONG_TYPE" Error Record
        "A value is of another JSON type than the field.",
    NotAnInteger "NOT_AN_INTEGER" Error Record
        "A number has a fraction where the field is an integer.",
    OutOfRange "OUT_OF_RANGE" Error Record
        "A number is outside the range of the field.",
    InexactNumber "INEXACT_NUMBER" Error Record
        "A number has more digits than a double keeps, or is too small for one: readers of JSON would change it.",
    TooPrecise "TOO_PRECISE" Error Record
        "A length overall has more than 3 decimals.",
    UnknownValue "UNKNOWN_VALUE" Error Record
        "A word is not one of those the field accepts.",
    TextTooLong "TEXT_TOO_LONG" Error Record
        "A text is longer than 64 KiB, or one that lists show, such as a name, than 2,000 characters.",
    ListTooLong "LIST_TOO_LONG" Error Record
        "A list has more than 10,000 members.",
    ControlCharacter "CONTROL_CHARACTER" Error Record
        "A text has a control character other than line feed and tab.",
    ReplacementCharacter "REPLACEMENT_CHARACTER" Warning Record
        "A text has U+FFFD, the trace of a character lost earlier.",
    MarkupInDescription "MARKUP_IN_DESCRIPTION" Warning Record
        "A description, which is plain text, has markup.",
    InvalidId "INVALID_ID" Error Record
        "A text is not an id.",
    InvalidSlug "INVALID_SLUG" Error Record
        "A text is not a slug.",
    InvalidTimestamp "INVALID_TIMESTAMP" Error Record
        "A text is not an RFC 3339 date and time with an offset.",
    InvalidUrl "INVALID_URL" Error Record
        "A text is not an absolute `http` or `https` address.",
    InvalidCurrency "INVALID_CURRENCY" Error Record
        "A currency code is not three capital letters.",
    YearsReversed "YEARS_REVERSED" Error Record
        "The last year of production is before the first.",
    LengthMismatch "LENGTH_MISMATCH" Error Record
        "`dimensions.lengthOverall` differs from `lengthOverall`.",
    ImplausibleValue "IMPLAUSIBLE_VALUE" Warning Record
        "A measure does not fit another one of the boat: convert the one in another unit, or correct `unit`.",
    // Records together.
    DuplicateId "DUPLICATE_ID" Error Record
        "An earlier record of the same kind has the same id.",
    DuplicateSlug "DUPLICATE_SLUG" Error Record
        "An earlier published record of the same kind has the same slug.",
    SlugIsAnId "SLUG_IS_AN_ID" Error Record
        "A published record's slug is the id of another one of the same kind.",
    DanglingReference "DANGLING_REFERENCE" Error Record
        "A published record refers to a record that the export does not have.",
    UnpublishedManufacturer "UNPUBLISHED_MANUFACTURER" Error Record
        "A published boat refers to a manufacturer that is not published.",
    ReferenceToInvalid "REFERENCE_TO_INVALID" Error Record
        "A published record refers to a record that has errors of its own.",
    RecordTooLarge "RECORD_TOO_LARGE" Error Record
        "A published boat, with what it shows of its references, takes more than 16 MiB.",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_code_is_its_name_in_upper_snake_case() {
        for code in Code::ALL {
            let mut expected = String::new();
            for letter in format!("{code:?}").chars() {
                let starts_word = letter.is_uppercase() && !expected.is_empty();
                expected.extend(starts_word.then_some('_'));
                expected.push(letter.to_ascii_uppercase());
            }
            assert_eq!(code.as_str(), expected);
        }
    }
}
