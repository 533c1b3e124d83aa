"""What is wrong with a key file, by its code: what was found and, after a bar, what to do."""

KEYS = {
    "keys.exists": "{path} exists, and a key is never overwritten | choose another name",
    "keys.not_written": "cannot write {path}: {reason} | check the folder and its permissions",
    "keys.table_name": "a table's name is printable ASCII without spaces, up to 40 characters | choose another",
    "keys.not_table_key": "{path} is not a table's key | `felt keys table NAME FILE` makes one",
    "keys.damaged": "the key in {path} is damaged | restore the file from your copy",
    "keys.public_name": "{path}: the ending .pub is for the public key | choose another name",
    "keys.not_signer": "{path} is not a signing key | `felt keys signer FILE` makes one",
    "keys.not_public": "{path} is not the public key of a signer | name the .pub file beside the signing key",
    "keys.unreadable": "cannot read {path}: {reason} | check the path, its owner and its permissions",
    "keys.exposed": "{path} can be read by others | make it private first: chmod 600 {path}",
    "keys.use_this": "{path} exists | if it is the table's key, use it: --key {path}",
}
