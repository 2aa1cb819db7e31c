//! An XML document as a tree of elements by their local names.
//!
//! Namespaces, comments and processing instructions are dropped; entities other than the five of XML and numeric references are left as
//! written. A tree is at most `MOST_DEPTH` deep, so that no document can exhaust the stack.

use std::io;

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::unpack_bounds::refusal;

/// Maximum nesting of elements; the deepest supported documents have about ten.
const MOST_DEPTH: usize = 64;

/// Maximum number of elements; the largest tables of Form 13F have half a million.
const MOST_ELEMENTS: usize = 1_500_000;

/// Maximum number of attributes of an element; supported documents have few, and each is compared with all before it.
const MOST_ATTRIBUTES: usize = 256;

/// An element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct XmlNode {
    /// Name without the namespace.
    pub(crate) name: String,
    /// Names without their namespaces, and values.
    pub(crate) attributes: Vec<(String, String)>,
    /// Text directly in the element, trimmed.
    pub(crate) text: String,
    /// Children in their order.
    pub(crate) children: Vec<XmlNode>,
}

impl XmlNode {
    /// Parses a document and returns its root element.
    ///
    /// # Errors
    /// XML that is not well-formed or has no element.
    pub(crate) fn parse(text: &str) -> io::Result<Self> {
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}').trim_start());
        // The open elements; the first receives the root when it is complete.
        let mut open = vec![Self::default()];
        let mut elements = 0;
        loop {
            let event = reader.read_event().map_err(io::Error::other)?;
            elements += usize::from(matches!(event, Event::Start(_) | Event::Empty(_)));
            if elements > MOST_ELEMENTS {
                return Err(refusal(format!("the XML has more than {MOST_ELEMENTS} elements")));
            }
            match event {
                Event::Start(start) => {
                    if open.len() > MOST_DEPTH {
                        return Err(refusal(format!("the XML is nested more than {MOST_DEPTH} deep")));
                    }
                    open.push(Self::new_element(&start)?);
                }
                Event::Empty(start) => {
                    let node = Self::new_element(&start)?;
                    open.last_mut().ok_or_else(unbalanced_error)?.children.push(node);
                }
                Event::End(_) => close_element(&mut open)?,
                Event::Text(text) => push_text(&mut open, &text.xml10_content()),
                Event::CData(text) => push_text(&mut open, &text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let character = reference.resolve_char_ref().map_err(io::Error::other)?;
                    let text = character.map_or_else(|| resolve_entity(&reference), String::from);
                    push_text(&mut open, &text);
                }
                Event::DocType(types) if types.contains("<!ENTITY") => {
                    return Err(refusal("the XML declares entities of its own"));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        let mut document = open.pop().ok_or_else(unbalanced_error)?;
        let root = document.children.pop().ok_or_else(|| io::Error::other("the XML has no element"))?;
        if open.is_empty() { Ok(root) } else { Err(unbalanced_error()) }
    }

    fn new_element(start: &BytesStart<'_>) -> io::Result<Self> {
        let mut node = Self { name: start.local_name().as_ref().to_owned(), ..Self::default() };
        for (position, attribute) in start.attributes().enumerate() {
            if position >= MOST_ATTRIBUTES {
                return Err(refusal(format!(
                    "an element of the XML has more than {MOST_ATTRIBUTES} attributes"
                )));
            }
            let attribute = attribute.map_err(io::Error::other)?;
            let name = attribute.key.local_name().as_ref().to_owned();
            node.attributes.push((name, attribute.value.to_string()));
        }
        Ok(node)
    }

    /// Returns the first child with a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the children with a name, in document order.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Returns the first element at a path of child names.
    pub(crate) fn element_at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, name| node.child(name))
    }

    /// Returns the text at a path of child names; empty if there is no such element.
    pub(crate) fn text_at(&self, path: &[&str]) -> &str {
        self.element_at(path).map_or("", |node| node.text.as_str())
    }

    /// Returns the value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Visits this element and all descendants, in document order.
    pub(crate) fn visit_descendants<'a>(&'a self, each: &mut impl FnMut(&'a Self)) {
        each(self);
        for child in &self.children {
            child.visit_descendants(each);
        }
    }
}

fn close_element(open: &mut Vec<XmlNode>) -> io::Result<()> {
    let mut node = open.pop().ok_or_else(unbalanced_error)?;
    node.text.truncate(node.text.trim_end().len());
    open.last_mut().ok_or_else(unbalanced_error)?.children.push(node);
    Ok(())
}

fn push_text(open: &mut [XmlNode], text: &str) {
    if let Some(node) = open.last_mut() {
        let text = if node.text.is_empty() { text.trim_start() } else { text };
        node.text.push_str(text);
    }
}

fn resolve_entity(name: &str) -> String {
    resolve_xml_entity(name).map_or_else(|| format!("&{name};"), str::to_owned)
}

fn unbalanced_error() -> io::Error {
    io::Error::other("the XML ends within an element")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_a_tree_of_local_names() {
        let text = "\u{feff}\n<?xml version=\"1.0\"?><!-- x --><n:a xmlns:n='u'><n:b id='F1'> R&amp;D &#65;<![CDATA[ <x>]]> </n:b><c/>\n</n:a>";
        let root = XmlNode::parse(text).unwrap();
        assert_eq!((root.name.as_str(), root.children.len()), ("a", 2));
        assert_eq!(root.text_at(&["b"]), "R&D A <x>");
        assert_eq!(root.child("b").unwrap().attribute("id"), Some("F1"));
        assert_eq!(root.text_at(&["c"]), "");
        assert_eq!(root.text_at(&["nothing", "here"]), "");
    }

    #[test]
    fn what_is_not_whole_is_an_error() {
        for text in ["", "plain", "<a><b></a>", "<a>"] {
            assert!(XmlNode::parse(text).is_err(), "{text}");
        }
        assert!(XmlNode::parse(&"<a>".repeat(1_000)).is_err());
    }
}
