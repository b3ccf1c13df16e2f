//! The systems whose rich text is known, as one table: how a node says what it is, where it keeps
//! its text and its parts, and what each kind of node is in a text.
//!
//! Here is data only; the walker reads it. A system that is new here is a row, and so is a kind.

use serde_json::Value;

use Kind::{Break, Cell, End, Group, Ignored, Item, List, Paragraph, Row, Table, Text};

/// What a node is in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mapping) enum Kind {
    /// A paragraph, a heading, a quote or code. Its parts belong to its lines.
    Paragraph,
    /// Blocks.
    Group,
    List,
    Item,
    Table,
    Row,
    Cell,
    /// A part of a line: words, a mark, a link, a mention.
    Text,
    /// Ends a line.
    Break,
    /// Has no text of its own, as an image or an embedded record.
    Ignored,
    /// Ends the part that everybody may read.
    End,
}

impl Kind {
    /// What a mapping calls the kinds that it may give to nodes.
    pub(in crate::mapping) const NAMED: [(&'static str, Self); 12] = [
        ("paragraph", Paragraph),
        ("heading", Paragraph),
        ("quote", Paragraph),
        ("group", Group),
        ("list", List),
        ("item", Item),
        ("table", Table),
        ("row", Row),
        ("cell", Cell),
        ("text", Text),
        ("break", Break),
        ("ignored", Ignored),
    ];

    /// Whether it is part of a line.
    pub(super) const fn is_within_line(self) -> bool {
        matches!(self, Text | Break)
    }

    /// Whether its parts are blocks.
    pub(super) const fn holds_blocks(self) -> bool {
        matches!(self, Group | List | Table | Row)
    }

    /// Whether such a node has nothing to be read.
    pub(super) const fn is_without_text(self) -> bool {
        matches!(self, Break | Ignored | End)
    }
}

/// Where a node may keep text or parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'p> {
    /// Keys divided by `.`, of which `*` stands for the name of the node's kind; `|` divides
    /// paths of which the first one counts that the node has.
    path: &'p str,
    /// Whether the path is just a key, as most are.
    is_key: bool,
    pub(super) markup: Markup,
    /// What encloses it.
    pub(super) enclosed: Kind,
    /// What its members are that do not say it.
    pub(super) members: Kind,
}

/// How texts are written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Markup {
    None,
    /// Like all texts of mappings: as HTML where there is markup.
    Html,
    Markdown,
}

impl<'p> Part<'p> {
    const fn new(path: &'p str, markup: Markup) -> Self {
        let mut is_key = true;
        let mut at = 0;
        while at < path.len() {
            is_key &= !matches!(path.as_bytes()[at], b'.' | b'|' | b'*');
            at += 1;
        }
        Self {
            path,
            is_key,
            markup,
            enclosed: Text,
            members: Text,
        }
    }

    const fn holding(self, members: Kind) -> Self {
        Self { members, ..self }
    }

    const fn within(self, enclosed: Kind) -> Self {
        Self { enclosed, ..self }
    }

    /// Its value in a node of a kind.
    pub(super) fn find<'v>(&self, node: &'v Value, kind: &str) -> Option<&'v Value> {
        if self.is_key {
            return node.get(self.path).filter(|value| !value.is_null());
        }
        let mut paths = self.path.split('|');
        paths.find_map(|path| {
            let mut keys = path.split('.');
            let value = keys.try_fold(node, |node, key| {
                node.get(if key == "*" { kind } else { key })
            });
            value.filter(|value| !value.is_null())
        })
    }
}

pub(super) const fn words(path: &str) -> Part<'_> {
    Part::new(path, Markup::None)
}

/// A part that may have markup.
pub(super) const fn html(path: &str) -> Part<'_> {
    Part::new(path, Markup::Html)
}

/// A system.
pub(super) struct System {
    /// The key with the name of a node's kind.
    pub(super) type_key: &'static str,
    /// Whether a node, or what encloses all of them, is of this system.
    is_of: fn(&Value) -> bool,
    /// Where nodes keep text and parts, unless their kind says otherwise.
    parts: &'static [Part<'static>],
    kinds: &'static [Known],
}

/// Kinds of nodes that are alike.
struct Known {
    /// Their names, divided by blanks; an empty one stands for nodes without a kind.
    names: &'static str,
    kind: Kind,
    /// Empty for those of the system.
    parts: &'static [Part<'static>],
}

const fn known(names: &'static str, kind: Kind, parts: &'static [Part<'static>]) -> Known {
    Known { names, kind, parts }
}

impl System {
    /// The system of an outermost node, or of one with another type key than its surroundings.
    pub(super) fn of(node: &Value) -> Option<&'static Self> {
        SYSTEMS.into_iter().find(|system| (system.is_of)(node))
    }

    /// What a kind is, and where its nodes keep text and parts; `None` if it is not known.
    pub(super) fn kind(&self, name: &str) -> Option<(Kind, &'static [Part<'static>])> {
        let is_it = |known: &&Known| known.names.split(' ').any(|known| known == name);
        let known = self.kinds.iter().find(is_it)?;
        let parts = if known.parts.is_empty() {
            self.parts
        } else {
            known.parts
        };
        Some((known.kind, parts))
    }

    /// Where nodes of other kinds keep text and parts.
    pub(super) const fn parts(&self) -> &'static [Part<'static>] {
        self.parts
    }
}

fn has(node: &Value, key: &str, is_it: fn(&Value) -> bool) -> bool {
    node.get(key).is_some_and(is_it)
}

fn is_dast(field: &Value) -> bool {
    field.get("schema").and_then(Value::as_str) == Some("dast")
}

/// Whether a node is a block, a rich text or a property of Notion's interface.
fn is_notion(node: &Value) -> bool {
    let kind = node.get("type").and_then(Value::as_str);
    let inner = kind.and_then(|kind| node.get(kind));
    has(node, "plain_text", Value::is_string)
        || (has(node, "object", Value::is_string) && has(node, "results", Value::is_array))
        || inner.is_some_and(|inner| {
            has(node, "object", |object| object == "block")
                || has(inner, "rich_text", Value::is_array)
                || (inner.is_array() && matches!(kind, Some("rich_text" | "title")))
        })
}

/// Whether a node is a block of a `StreamField`, which has no other key for what it holds.
fn is_stream_block(node: &Value) -> bool {
    let others = ["text", "content", "children"];
    has(node, "type", Value::is_string)
        && node.get("value").is_some()
        && others.iter().all(|key| node.get(key).is_none())
}

fn is_tree(node: &Value) -> bool {
    has(node, "type", Value::is_string)
        || has(node, "children", Value::is_array)
        || node
            .get("root")
            .is_some_and(|root| has(root, "children", Value::is_array))
}

/// All systems. The first one that a node may be of is the one.
static SYSTEMS: [&System; 9] = [
    &CONTENTFUL,
    &PORTABLE_TEXT,
    &PAYLOAD,
    &STORYBLOK,
    &NOTION,
    &DATO_CMS,
    &STREAM_FIELD,
    &TREES,
    &EDITOR_JS,
];

const PARTS: &[Part<'_>] = &[words("text"), html("content"), words("children")];

static CONTENTFUL: System = System {
    type_key: "nodeType",
    is_of: |node| has(node, "nodeType", Value::is_string),
    parts: PARTS,
    kinds: &[
        known("text", Text, &[words("value")]),
        known(
            "paragraph blockquote heading-1 heading-2 heading-3 heading-4 heading-5 \
             heading-6",
            Paragraph,
            &[],
        ),
        known("document", Group, &[]),
        known("unordered-list ordered-list", List, &[]),
        known("list-item", Item, &[]),
        known(
            "hyperlink entry-hyperlink asset-hyperlink resource-hyperlink",
            Text,
            &[],
        ),
        known("table", Table, &[]),
        known("table-row", Row, &[]),
        known("table-cell table-header-cell", Cell, &[]),
        known(
            "hr embedded-asset-block embedded-entry-block embedded-entry-inline \
             embedded-asset-inline embedded-resource-block embedded-resource-inline",
            Ignored,
            &[],
        ),
    ],
};

static PORTABLE_TEXT: System = System {
    type_key: "_type",
    is_of: |node| has(node, "_type", Value::is_string),
    parts: PARTS,
    kinds: &[
        known("span", Text, &[]),
        known("block", Paragraph, &[]),
        known("code", Paragraph, &[words("code|text")]),
        known("table", Table, &[words("rows")]),
        known("tableRow", Row, &[words("cells").holding(Cell)]),
        known("image file reference break", Ignored, &[]),
    ],
};

/// Blocks and components, whose kinds are the author's own.
const COMPONENT: &[Part<'_>] = &[html("text"), html("content"), words("children")];

static PAYLOAD: System = System {
    type_key: "blockType",
    is_of: |node| has(node, "blockType", Value::is_string),
    parts: COMPONENT,
    kinds: &[],
};

static STORYBLOK: System = System {
    type_key: "component",
    is_of: |node| has(node, "component", Value::is_string),
    parts: COMPONENT,
    kinds: &[],
};

static NOTION: System = System {
    type_key: "type",
    is_of: is_notion,
    parts: &[words("*.rich_text"), words("*.children|children")],
    kinds: &[
        known("", Group, &[words("results|rich_text|title")]),
        known(
            "text mention equation",
            Text,
            &[words("plain_text|equation.expression")],
        ),
        known(
            "paragraph heading_1 heading_2 heading_3 quote callout code column_list \
             column synced_block",
            Group,
            &[],
        ),
        known(
            "bulleted_list_item numbered_list_item to_do toggle",
            Item,
            &[],
        ),
        // What a page of the interface says of its blocks.
        known("block", Group, &[words("results")]),
        known("rich_text title", Paragraph, &[words("*")]),
        known("table", Table, &[]),
        known("table_row", Row, &[words("*.cells").holding(Cell)]),
        known(
            "divider image video audio file pdf bookmark embed link_preview \
             table_of_contents breadcrumb child_page child_database link_to_page",
            Ignored,
            &[],
        ),
    ],
};

static DATO_CMS: System = System {
    type_key: "type",
    is_of: |node| is_dast(node) || node.get("value").is_some_and(is_dast),
    parts: &[words("children")],
    kinds: &[
        known("", Group, &[words("document|value")]),
        known("span", Text, &[words("value")]),
        known("link itemLink", Text, &[]),
        known("paragraph heading", Paragraph, &[]),
        known(
            "blockquote",
            Group,
            &[words("children"), words("attribution")],
        ),
        known("code", Paragraph, &[words("code")]),
        known("root", Group, &[]),
        known("list", List, &[]),
        known("listItem", Item, &[]),
        known("block inlineBlock inlineItem thematicBreak", Ignored, &[]),
    ],
};

static STREAM_FIELD: System = System {
    type_key: "type",
    is_of: is_stream_block,
    parts: PARTS,
    kinds: &[
        known(
            "paragraph rich_text richtext text heading title subtitle subheading \
             intro quote blockquote html raw_html",
            Group,
            &[html("value")],
        ),
        known(
            "list bullet_list ordered_list",
            List,
            &[html("value").holding(Item)],
        ),
        known("item", Item, &[html("value")]),
        known("image document page embed video", Ignored, &[]),
    ],
};

/// Trees of nodes with a `type`: blocks of Strapi and Prismic, documents of Slate, and of Lexical
/// and ProseMirror with the editors built on them. They differ in the names of kinds and in where
/// a node keeps its parts, but no name means two things.
static TREES: System = System {
    type_key: "type",
    is_of: is_tree,
    parts: &[
        html("html"),
        html("calloutText"),
        html("heading"),
        Part::new("markdown", Markup::Markdown),
        words("text"),
        html("content"),
        words("children"),
    ],
    kinds: &[
        known(
            "text link autolink mark code-highlight extended-text tab a hyperlink",
            Text,
            PARTS,
        ),
        known(
            "",
            Group,
            &[
                words("root.children"),
                words("text"),
                html("content"),
                words("children"),
            ],
        ),
        known(
            "paragraph heading p h1 h2 h3 h4 h5 h6 quote blockquote block-quote code \
             codeBlock code_block heading1 heading2 heading3 heading4 heading5 \
             heading6 heading-one heading-two heading-three heading-four heading-five \
             heading-six preformatted lic extended-heading extended-quote \
             detailsSummary",
            Paragraph,
            PARTS,
        ),
        known("linebreak hardBreak hard_break", Break, &[]),
        known(
            "list bulletList bullet_list bulleted-list ul orderedList ordered_list \
             numbered-list ol taskList",
            List,
            PARTS,
        ),
        known(
            "list-item listitem listItem list_item taskItem o-list-item \
             group-list-item group-o-list-item li",
            Item,
            PARTS,
        ),
        known("codeblock", Paragraph, &[words("code")]),
        known(
            "mention",
            Text,
            &[words("text|attrs.label|attrs.text|attrs.id|value")],
        ),
        known("emoji", Text, &[words("attrs.emoji|attrs.name|emoji")]),
        known(
            "doc root html markdown callout toggle aside details detailsContent",
            Group,
            &[],
        ),
        // Blocks of Payload and components of Storyblok.
        known(
            "block inlineBlock",
            Group,
            &[words("fields"), html("content"), words("children")],
        ),
        known("blok", Group, &[words("attrs.body")]),
        known("table", Table, &[]),
        known("tablerow tableRow table_row tr code_line", Row, &[]),
        known(
            "tablecell tableCell tableHeader table_cell table_header td th",
            Cell,
            &[],
        ),
        known(
            "image gallery video audio file bookmark embed upload relationship \
             horizontalrule horizontalRule horizontal_rule hr youtube email email-cta",
            Ignored,
            &[],
        ),
        // The part that Ghost shows to everybody ends here.
        known("paywall", End, &[]),
    ],
};

/// Editor.js, whose texts are HTML, and Draft.js, which has the same form but plain texts.
static EDITOR_JS: System = System {
    type_key: "type",
    is_of: |node| has(node, "blocks", Value::is_array),
    parts: &[
        words("text"),
        html("data.title"),
        html("data.text"),
        html("data.message"),
        html("data.caption"),
        words("data.code"),
        html("data.html"),
        html("data.items").within(List).holding(Item),
        html("data.content").within(Table).holding(Row),
    ],
    kinds: &[
        known(
            "",
            Group,
            &[
                words("blocks"),
                html("content"),
                html("text"),
                html("items").within(List).holding(Item),
            ],
        ),
        known(
            "paragraph header list table quote code raw checklist warning callout \
             nestedList alert unstyled blockquote code-block header-one header-two \
             header-three header-four header-five header-six unordered-list-item \
             ordered-list-item",
            Group,
            &[],
        ),
        known(
            "attaches atomic delimiter embed image linkTool simpleImage",
            Ignored,
            &[],
        ),
    ],
};

/// What Quill inserts besides text, by the key of the insertion.
pub(super) static QUILL: System = System {
    type_key: "",
    is_of: |_| false,
    parts: &[],
    kinds: &[
        known("mention", Text, &[words("mention.value|mention.name")]),
        known("formula", Text, &[words("*")]),
        known("image video divider", Ignored, &[]),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kind_of_a_system_is_in_its_table_twice() {
        for system in SYSTEMS.into_iter().chain([&QUILL]) {
            let names = system.kinds.iter().flat_map(|known| known.names.split(' '));
            let mut names: Vec<&str> = names.collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all, "{names:?}");
        }
    }
}
