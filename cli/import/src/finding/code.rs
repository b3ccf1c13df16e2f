//! Every code a finding can have, with its severity, a line that explains it, and one that says what
//! to do about it.
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
    ($(
        $variant:ident $text:literal $severity:ident $blame:ident $explanation:literal $fix:literal,
    )+) => {
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

            /// What to do about it, in one line that begins with the action.
            pub const fn fix(self) -> &'static str {
                match self { $(Self::$variant => $fix,)+ }
            }
        }
    };
}

codes! {
    // Files.
    FileTruncated "FILE_TRUNCATED" Error Export
        "A file ends early: a cut compressed file or archive, or a last line that breaks off."
        "Transfer the file again, or run the export again: what is missing cannot be guessed.",
    FileCorrupt "FILE_CORRUPT" Error Export
        "A file cannot be decoded: its compression, its archive, or the form that a mapping names."
        "Transfer or export the file again; if the message names a form, correct `reader` or `encoding` of the source in the mapping.",
    MemberRefused "MEMBER_REFUSED" Error Export
        "What would be read is no file, or a link that is not followed, or its path is absolute or has `..`."
        "Pack plain files with relative paths, or name what a link leads to on the command line.",
    NoExportFiles "NO_EXPORT_FILES" Error Export
        "A folder or an archive has no file that is read, or a named file is none that the mapping reads."
        "Name the right folder or archive, rename its files as the message says, or add their names to `files` of a source in the mapping.",
    TypeNotFound "TYPE_NOT_FOUND" Warning Export
        "The export has no record of a type that a rule or a join of the mapping is for."
        "Correct the type in the rule or the join of the mapping; the message names the types that no rule is for.",
    RecordsUnidentified "RECORDS_UNIDENTIFIED" Warning Export
        "Records have no key or no type by which the mapping could know them; they are not read."
        "Write a key into each of these records where it is kept, or correct `key` and `type` in the mapping, unless they hold nothing to publish.",
    DuplicateKey "DUPLICATE_KEY" Warning Record
        "Two records have the key by which others refer to them; the first published one is meant."
        "Correct the key of one of the two where they are kept, or have `key` in the mapping tell them apart.",
    PublishedKeyNotFound "PUBLISHED_KEY_NOT_FOUND" Warning Export
        "No record of a type has a key by which the mapping tells what is published."
        "Correct the key that `published` in the mapping names, or have the system export it.",
    PublishedColumnNotFound "PUBLISHED_COLUMN_NOT_FOUND" Error Export
        "A table has no column of a name by which the mapping tells what is published."
        "Correct the name in `published` of the mapping, or ask `has(\"column\")` there if the column may be missing.",
    StatusKeyNotRead "STATUS_KEY_NOT_READ" Warning Export
        "Records have a key that may say that they are not public, and the mapping does not name it."
        "Name the key in `published` of the mapping, or in a comment if it says no such thing.",
    KeysNotFound "KEYS_NOT_FOUND" Warning Export
        "A line of the mapping begins with a key that no published record has."
        "Correct the key in the mapping if it was renamed, or write `.key?` if it may be missing.",
    UnpublishedReference "UNPUBLISHED_REFERENCE" Warning Export
        "Published records refer to unpublished ones; such references come to nothing."
        "Publish the records that are referred to, or remove the references.",
    MergedRecordsDiffer "MERGED_RECORDS_DIFFER" Warning Export
        "A rule with `distinct` made one record of several that differ; the first one counts."
        "Correct the value in the record that is wrong, so that all have the same one.",
    MarkdownNotRead "MARKDOWN_NOT_READ" Warning Export
        "Texts that look like Markdown are read by `plain`, and stay as they are."
        "Write `markdown` in place of `plain` in the mapping, unless the marks are meant as text.",
    AmbiguousNumbers "AMBIGUOUS_NUMBERS" Warning Export
        "Nothing in a column tells whether its points stand before decimals or between thousands."
        "Write `number(\",\")` or `number(\".\")` in the mapping, or name the mark in `measure`: it is what stands before decimals.",
    MixedNumbers "MIXED_NUMBERS" Error Export
        "The numbers of a column are written by two conventions, so that one of them would be read wrong."
        "Correct the numbers of the wrong convention where they are kept, then name the right mark in the mapping, as in `number(\",\")`.",
    SpreadsheetError "SPREADSHEET_ERROR" Warning Export
        "Values are errors of a spreadsheet, such as `#N/A`; they count as empty."
        "Correct the formulas of the spreadsheet, and save the file again.",
    HiddenRows "HIDDEN_ROWS" Warning Export
        "A sheet of a workbook has rows that are hidden; they are read like any other."
        "Remove the rows from the spreadsheet if they are not wanted, or have `published` in the mapping leave them out.",
    EncodingDoubtful "ENCODING_DOUBTFUL" Warning Export
        "A file is read in another encoding, though all of it is valid UTF-8 with more than ASCII."
        "Remove `encoding` from the source in the mapping, unless letters such as é look wrong without it.",
    RichTextNotRead "RICH_TEXT_NOT_READ" Warning Export
        "Rich text has nodes of a kind that `plain` does not know; of these it keeps little or nothing."
        "Add the kind to [rich_text.blocks] of the mapping: what it is, and where its text is.",
    ImageWithoutSize "IMAGE_WITHOUT_SIZE" Warning Export
        "Images of mapped records have no width or no height; they are left out."
        "Export width and height with the images, or have them measured by their addresses (`images = \"measure\"` in the mapping) or in the export (`image_size`).",
    FileNotRead "FILE_NOT_READ" Warning Export
        "The export has files that may hold records, and the mapping reads none of them."
        "Add the file to `files` of a source in the mapping if it is wanted, and to `ignore` at its top if not.",
    ListNotRead "LIST_NOT_READ" Warning Export
        "A JSON document has a list of objects beside those that the mapping reads."
        "Add the list to `records` of a source in the mapping if it is wanted, and to its `ignore` if not.",
    SourceWithoutFiles "SOURCE_WITHOUT_FILES" Warning Export
        "The export has no file that a source of the mapping asks for."
        "Correct `files` of the source in the mapping, or add the file to the export.",
    SourceWithoutRecords "SOURCE_WITHOUT_RECORDS" Warning Export
        "The files that a source of the mapping asks for have no record for it."
        "Correct `records`, `key` and `type` of the source in the mapping, or remove the source.",
    JoinWithoutRecords "JOIN_WITHOUT_RECORDS" Warning Export
        "No published record refers to another one in the way that a join of the mapping says."
        "Correct `to` of the join in the mapping: the key that holds the reference.",
    RecordsNotFound "RECORDS_NOT_FOUND" Error Export
        "A file has no list of records where the mapping says they are."
        "Correct `records` of the source in the mapping: the path to the list within the file.",
    ChangedSincePublication "CHANGED_SINCE_PUBLICATION" Warning Export
        "Published records were changed afterwards, and the export has the changed contents."
        "Publish the changes in the content system, or take them back, and export again.",
    FolderSkipped "FOLDER_SKIPPED" Warning Export
        "A folder within a folder has files that would be read elsewhere; they are not read."
        "Move the files one folder up, or name the inner folder on the command line as well.",
    // The export as a whole.
    UnsupportedFormat "UNSUPPORTED_FORMAT" Error Export
        "The catalogue record names another format than `boat-catalogue/1`."
        "Export in the format `boat-catalogue/1`, or install the version of this program that reads the newer one.",
    DuplicateCatalogue "DUPLICATE_CATALOGUE" Error Export
        "There is more than one catalogue record."
        "Remove all catalogue records but one, and correct its `counts` if exports were joined.",
    CountMismatch "COUNT_MISMATCH" Error Export
        "The export has another number of records of a kind than its catalogue record says."
        "Export again, since records are missing; if you changed the file, correct `counts` or remove it.",
    NoRecords "NO_RECORDS" Error Export
        "The export is empty: it has no record of any kind."
        "Run the export again and look for its errors; with a mapping, run `catalogue mapping check`.",
    NoPublishedBoats "NO_PUBLISHED_BOATS" Warning Export
        "The export has no published boat that could be served."
        "Correct the errors in boats, if there are any; otherwise publish boats, or correct `published` in the mapping.",
    TooMuchToHold "TOO_MUCH_TO_HOLD" Error Export
        "The records that boats may refer to have more than 128 MiB together."
        "Shorten the descriptions of manufacturers, or leave out manufacturers, terms and designers that no boat refers to.",
    // Lines.
    LineTooLong "LINE_TOO_LONG" Error Record
        "A line is longer than 1 MiB; of a file that a mapping reads, a record than 16 MiB."
        "Write one record on each line; if it is one already, shorten its texts and lists.",
    InvalidUtf8 "INVALID_UTF8" Error Record
        "A line is not UTF-8."
        "Save or export the file as UTF-8; with a mapping, add the `encoding` that it has to the source.",
    InvalidJson "INVALID_JSON" Error Record
        "A line is not one JSON value."
        "Correct the syntax at the marked place, or better, have a JSON library write the export.",
    NestedTooDeep "NESTED_TOO_DEEP" Error Record
        "Objects and lists are nested more than 32 deep; in files that a mapping reads, 128."
        "Leave out the value that is nested so deep: no field is.",
    TooManyValues "TOO_MANY_VALUES" Error Record
        "A record has more than 250,000 values, those in lists and objects included."
        "Leave out the longest lists of the record, or make several records of it.",
    NotAnObject "NOT_AN_OBJECT" Error Record
        "A line is JSON, but not an object."
        "Write each record as an object, as in `{\"kind\":\"boat\",…}`; for any other form, write a mapping.",
    UnknownKind "UNKNOWN_KIND" Error Record
        "The `kind` of a record is not one of this format."
        "Correct the word to one of those that the message lists, or leave the record out.",
    MappingFailed "MAPPING_FAILED" Error Record
        "An expression of the mapping has no value for a record."
        "Correct the value where it is kept, or have the expression that the finding names read it.",
    InvalidRow "INVALID_ROW" Error Record
        "A row of a CSV file has other cells than its header, or one of a Parquet file a value that JSON cannot hold."
        "Correct the row: as many cells as the header has, and quotes around cells with a delimiter in them.",
    // Keys.
    MissingField "MISSING_FIELD" Error Record
        "A required value is absent, null or blank."
        "Add the value where the record is kept; in a mapping, correct the key that it is made from, or add a `default`.",
    UnknownField "UNKNOWN_FIELD" Error Record
        "A key is not one of this format."
        "Rename the key as the hint says, leave it out, or begin it with `x_` to keep it unread.",
    RepeatedKey "REPEATED_KEY" Error Record
        "An object has the same key twice."
        "Remove one of the two, and keep the value that is right.",
    DerivedField "DERIVED_FIELD" Error Record
        "A key holds what the import derives by itself."
        "Leave the key out; correct what it is derived from, if it came out wrong.",
    ExpandedReference "EXPANDED_REFERENCE" Error Record
        "A reference is an embedded object instead of an id."
        "Write the id of the record as a text, and move the object to a line of its own.",
    // Values.
    WrongType "WRONG_TYPE" Error Record
        "A value is of another JSON type than the field."
        "Write the value as the type that the message expects: numbers, true and false without quotes, texts with them.",
    NotAnInteger "NOT_AN_INTEGER" Error Record
        "A number has a fraction where the field is an integer."
        "Round the number, or correct it where it is kept.",
    OutOfRange "OUT_OF_RANGE" Error Record
        "A number is outside the range of the field."
        "Correct the number; look for another unit, or a decimal point that was lost.",
    InexactNumber "INEXACT_NUMBER" Error Record
        "A number has more digits than a double keeps, or is too small for one: readers of JSON would change it."
        "Round the number to 15 digits.",
    TooPrecise "TOO_PRECISE" Error Record
        "A length overall has more than 3 decimals."
        "Round the length to 3 decimals.",
    UnknownValue "UNKNOWN_VALUE" Error Record
        "A word is not one of those the field accepts."
        "Write one of the words that the message lists; in a mapping, translate other words by a table.",
    TextTooLong "TEXT_TOO_LONG" Error Record
        "A text is longer than 64 KiB, or one that lists show, such as a name, than 2,000 characters."
        "Shorten the text to the length that the message names.",
    ListTooLong "LIST_TOO_LONG" Error Record
        "A list has more than 10,000 members."
        "Shorten the list; look for a list that an export repeats.",
    ControlCharacter "CONTROL_CHARACTER" Error Record
        "A text has a control character other than line feed and tab."
        "Remove the character where the text is kept; a line break is a line feed alone.",
    ReplacementCharacter "REPLACEMENT_CHARACTER" Warning Record
        "A text has U+FFFD, the trace of a character lost earlier."
        "Type the lost character again where the text is kept, and look for what converts its encoding wrongly.",
    MarkupInDescription "MARKUP_IN_DESCRIPTION" Warning Record
        "A description, which is plain text, has markup."
        "Write the description as plain text; in a mapping, `plain` makes it from HTML and rich text, and `markdown` from Markdown.",
    InvalidId "INVALID_ID" Error Record
        "A text is not an id."
        "Write only letters of ASCII, digits, points, hyphens and underscores, at most 200, with a letter or digit first.",
    InvalidSlug "INVALID_SLUG" Error Record
        "A text is not a slug."
        "Write only letters of ASCII, digits, hyphens and underscores, with a letter or digit first; in a mapping, `slugify` makes a slug from a name.",
    InvalidTimestamp "INVALID_TIMESTAMP" Error Record
        "A text is not an RFC 3339 date and time with an offset."
        "Write date, time and offset, as in 2026-10-01T12:00:00Z.",
    InvalidUrl "INVALID_URL" Error Record
        "A text is not an absolute `http` or `https` address."
        "Write the whole address, as in https://example.com; if the field is not required, leave it empty.",
    InvalidCurrency "INVALID_CURRENCY" Error Record
        "A currency code is not three capital letters."
        "Write the code of ISO 4217, such as EUR.",
    YearsReversed "YEARS_REVERSED" Error Record
        "The last year of production is before the first."
        "Correct one of the two years, or leave the last one empty.",
    LengthMismatch "LENGTH_MISMATCH" Error Record
        "`dimensions.lengthOverall` differs from `lengthOverall`."
        "Leave `dimensions.lengthOverall` out, since it is filled in, or correct `lengthOverall`.",
    ImplausibleValue "IMPLAUSIBLE_VALUE" Warning Record
        "A measure does not fit another one of the boat."
        "Convert the measure that is in another unit, or correct `unit`; if the boat is an exception, leave the warning.",
    // Records together.
    DuplicateId "DUPLICATE_ID" Error Record
        "An earlier record of the same kind has the same id."
        "Remove one of the two records, or write another id into the newer one.",
    DuplicateSlug "DUPLICATE_SLUG" Error Record
        "An earlier published record of the same kind has the same slug."
        "Write another slug into the newer record: links lead to the older one.",
    SlugIsAnId "SLUG_IS_AN_ID" Error Record
        "A published record's slug is the id of another one of the same kind."
        "Write another slug into the record: links to the id lead to the other one.",
    DanglingReference "DANGLING_REFERENCE" Error Record
        "A published record refers to a record that the export does not have."
        "Add the record that is referred to, or correct or remove the reference.",
    UnpublishedManufacturer "UNPUBLISHED_MANUFACTURER" Error Record
        "A published boat refers to a manufacturer that is not published."
        "Publish the manufacturer, or withdraw its boats until it is.",
    ReferenceToInvalid "REFERENCE_TO_INVALID" Error Record
        "A published record refers to a record that has errors of its own."
        "Correct the other record, which has a finding of its own; this one may be right.",
    RecordTooLarge "RECORD_TOO_LARGE" Error Record
        "A published boat, with what it shows of its references, takes more than 16 MiB."
        "Shorten the names of what the boat refers to, or remove some of its references.",
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

    /// The words with which `fix` begins: what can be done about a finding.
    const ACTIONS: [&str; 18] = [
        "Add", "Convert", "Correct", "Export", "Leave", "Move", "Name", "Pack", "Publish",
        "Remove", "Rename", "Round", "Run", "Save", "Shorten", "Transfer", "Type", "Write",
    ];

    #[test]
    fn what_to_do_about_a_code_is_an_action_and_not_its_meaning_again() {
        for code in Code::ALL {
            let (fix, meaning) = (code.fix(), code.explanation());
            let action = fix.split(' ').next().unwrap_or_default();
            assert!(ACTIONS.contains(&action), "{code}: {fix}");
            assert!(fix.ends_with('.') && fix != meaning, "{code}: {fix}");
        }
    }
}
