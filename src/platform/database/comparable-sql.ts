import { type RawBuilder, sql } from 'kysely';

/** The characters of `Default_Ignorable_Code_Point` in Unicode, which PostgreSQL has no name for. */
const invisible =
  '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]+';

/** The text in the form of `comparableText`. Most texts are ASCII, for which this costs as much as `lower`. */
export function comparableSql(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql`case when octet_length(${text}) = length(${text}) and position('  ' in ${text}) = 0 then btrim(lower(${text}))
    else lower(btrim(regexp_replace(
      regexp_replace(normalize(${text}, NFKC), ${sql.lit(invisible)}, '', 'g'), '\\s+', ' ', 'g'))) end`;
}
