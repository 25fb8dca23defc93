import { sql } from 'kysely';
import { invalid } from '../../kernel/failure.js';
import { isTimeZone, zoneOffset } from '../../kernel/time-zone.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

interface ZoneOfDatabase {
  readonly name: string;
  readonly months: readonly { readonly at: string; readonly offset: number }[];
}

/**
 * The time zone as PostgreSQL spells it. Both PostgreSQL and Node.js convert instants to days, so a zone that one of them
 * does not know, or that they read differently in a month from a year ago to two years ahead, is rejected.
 */
export async function acceptTimeZone(tx: Transaction, name: string): Promise<string> {
  const zone = await findZone(tx, name);
  if (zone === null || !isTimeZone(name))
    throw invalid({ path: 'timezone', message: 'must be an IANA time zone such as Europe/Berlin' });
  if (zone.months.some(({ at, offset }) => zoneOffset(new Date(at), zone.name) !== offset))
    throw invalid({
      path: 'timezone',
      message: `the database and the service read ${zone.name} differently; choose the zone of a city, such as Europe/Berlin`,
    });
  return zone.name;
}

async function findZone(tx: Transaction, name: string): Promise<ZoneOfDatabase | null> {
  const { rows } = await sql<ZoneOfDatabase>`
    select z.name, (
      select jsonb_agg(jsonb_build_object('at', to_jsonb(m),
        'offset', extract(epoch from (m at time zone z.name) - (m at time zone 'UTC'))::int))
      from generate_series(date_trunc('month', now()) - interval '1 year', now() + interval '2 years',
        interval '1 month') m
    ) as months
    from pg_timezone_names z where lower(z.name) = lower(${name})`.execute(tx.db);
  return rows[0] ?? null;
}
