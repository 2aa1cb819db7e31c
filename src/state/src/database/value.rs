//! Values of statements and rows: integers, texts, bytes and nulls. A null has a kind because PostgreSQL needs the type of each parameter.

/// A value of a parameter or column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatabaseValue<'a> {
    Null(ValueKind),
    Integer(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// The type of a value or null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Integer,
    Text,
    Bytes,
    /// The type of the column, for a null of unknown type.
    OfColumn,
}

#[cfg(feature = "postgres")]
impl DatabaseValue<'_> {
    pub(super) const fn kind(&self) -> ValueKind {
        match self {
            Self::Null(kind) => *kind,
            Self::Integer(_) => ValueKind::Integer,
            Self::Text(_) => ValueKind::Text,
            Self::Bytes(_) => ValueKind::Bytes,
        }
    }
}

/// A type that can be bound to a parameter.
pub(crate) trait ToValue {
    fn value(&self) -> DatabaseValue<'_>;
}

/// A type whose values and null have one kind.
pub(crate) trait SingleKind {
    const KIND: ValueKind;
}

/// A type that can be read from a column.
pub(crate) trait FromValue: Sized {
    /// Returns `None` for a value of another kind.
    fn from_value(value: DatabaseValue<'_>) -> Option<Self>;
}

macro_rules! to_value {
    ($($type:ty: $kind:ident, |$it:ident| $value:expr;)*) => {$(
        impl ToValue for $type {
            fn value(&self) -> DatabaseValue<'_> {
                let $it = self;
                DatabaseValue::$kind($value)
            }
        }

        impl SingleKind for $type {
            const KIND: ValueKind = ValueKind::$kind;
        }
    )*};
}

to_value! {
    i64: Integer, |it| *it;
    u32: Integer, |it| i64::from(*it);
    bool: Integer, |it| i64::from(*it);
    str: Text, |it| it;
    String: Text, |it| it;
    [u8]: Bytes, |it| it;
    Vec<u8>: Bytes, |it| it;
    [u8; 32]: Bytes, |it| it;
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn value(&self) -> DatabaseValue<'_> {
        (**self).value()
    }
}

impl<T: SingleKind + ?Sized> SingleKind for &T {
    const KIND: ValueKind = T::KIND;
}

impl<T: ToValue + ?Sized> ToValue for Box<T> {
    fn value(&self) -> DatabaseValue<'_> {
        (**self).value()
    }
}

impl<T: ToValue + SingleKind> ToValue for Option<T> {
    fn value(&self) -> DatabaseValue<'_> {
        self.as_ref().map_or(DatabaseValue::Null(T::KIND), ToValue::value)
    }
}

macro_rules! from_value {
    ($($type:ty: $kind:ident, |$it:ident| $value:expr;)*) => {$(
        impl FromValue for $type {
            fn from_value(value: DatabaseValue<'_>) -> Option<Self> {
                if let DatabaseValue::$kind($it) = value { $value } else { None }
            }
        }
    )*};
}

from_value! {
    i64: Integer, |it| Some(it);
    u32: Integer, |it| it.try_into().ok();
    bool: Integer, |it| Some(it != 0);
    String: Text, |it| Some(it.to_owned());
    Vec<u8>: Bytes, |it| Some(it.to_vec());
    [u8; 32]: Bytes, |it| it.try_into().ok();
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: DatabaseValue<'_>) -> Option<Self> {
        if matches!(value, DatabaseValue::Null(_)) { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// An owned value of any kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnyValue {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl ToValue for AnyValue {
    fn value(&self) -> DatabaseValue<'_> {
        match self {
            Self::Null => DatabaseValue::Null(ValueKind::OfColumn),
            Self::Integer(integer) => DatabaseValue::Integer(*integer),
            Self::Text(text) => DatabaseValue::Text(text),
            Self::Bytes(bytes) => DatabaseValue::Bytes(bytes),
        }
    }
}

impl FromValue for AnyValue {
    fn from_value(value: DatabaseValue<'_>) -> Option<Self> {
        Some(match value {
            DatabaseValue::Null(_) => Self::Null,
            DatabaseValue::Integer(integer) => Self::Integer(integer),
            DatabaseValue::Text(text) => Self::Text(text.to_owned()),
            DatabaseValue::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        })
    }
}

/// Parameters of a statement.
pub(crate) trait Params {
    fn values(&self) -> Vec<DatabaseValue<'_>>;
}

impl Params for &[&dyn ToValue] {
    fn values(&self) -> Vec<DatabaseValue<'_>> {
        self.iter().map(|value| value.value()).collect()
    }
}

impl<const N: usize> Params for &[&dyn ToValue; N] {
    fn values(&self) -> Vec<DatabaseValue<'_>> {
        self.iter().map(|value| value.value()).collect()
    }
}

impl<T: ToValue, const N: usize> Params for [T; N] {
    fn values(&self) -> Vec<DatabaseValue<'_>> {
        self.iter().map(ToValue::value).collect()
    }
}

/// Builds the parameters of a statement from values of different types.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn crate::database::ToValue),*] as &[&dyn crate::database::ToValue]
    };
}
pub(crate) use params;

/// Reads a struct from the columns that have the names of its fields; fields with other values follow.
macro_rules! read_row {
    ($row:ident => $name:ident: $($field:ident),+ $(; $($other:ident: $value:expr),+)?) => {
        Ok($name { $($field: $row.get(stringify!($field))?,)+ $($($other: $value,)+)? })
    };
}
pub(crate) use read_row;
