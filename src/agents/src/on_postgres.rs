//! Runs the tests of this crate that use the state a second time on PostgreSQL.

#[path = "../../../tests/support/state_place.rs"]
mod state_place;
#[path = "../../../tests/support/new_key.rs"]
mod new_key;

pub(crate) use new_key::new_key;
pub(crate) use state_place::state_at;

#[test]
fn tests_with_a_state_hold_in_postgresql() {
    state_place::hold_in_postgresql(
        &["job::", "provider::keys"],
        &[
            "nothing_of_a_removed_or_replaced_key",
            "a_row_that_was_copied_to_another_owner",
            "no_byte_of_a_clear_key",
            "tests::faults::a_",
        ],
        48,
    );
}
