// A sign-in link carries its code behind the `#`, which browsers send to no server. Here it is put into the form, taken out of the
// address, and sent; who is signed in already decides that by a click.
"use strict";
const field = document.getElementById("code");
const code = location.hash.slice(1);
if (field && /^[0-9a-f]{64}$/.test(code)) {
  history.replaceState(null, "", location.pathname + location.search);
  field.value = code;
  if (field.form.dataset.send === "now") field.form.requestSubmit();
}
