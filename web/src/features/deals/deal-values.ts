import { productNames } from '#src/client.js';
import { usePersonNames } from '../../api/people-by-id.js';
import { isUuid } from '../../api/person-list-queries.js';
import { useSession } from '../../app/session.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { fieldWords, valueWords } from '../plans/words.js';

type Value = string | number | boolean | readonly string[] | null;

/** A standard value, `owner`, or `fields.` and the slug. */
export function valueName(name: string): string {
  return fieldWords(name.startsWith('fields.') ? name.slice('fields.'.length) : name);
}

export function providerName(provider: string): string {
  return (productNames as Readonly<Record<string, string>>)[provider] ?? provider;
}

/** A person is stored by id or by the address that the CRM has. Reps do not read the names of others. */
export function useValueWords(
  values: readonly (readonly [name: string, value: Value])[],
): (name: string, value: Value) => string {
  const { role } = useSession();
  const owners = values.flatMap(([name, value]) => (name === 'owner' && isUuid(String(value)) ? [String(value)] : []));
  const nameOf = usePersonNames(role === 'rep' ? [] : owners);
  return (name, value) => {
    if (value === null) return 'no value';
    if (name === 'owner') return nameOf(String(value)) ?? String(value);
    if (name === 'amount') return formatNumber(Number(value), 2);
    if (name === 'closeDate' || name === 'createdDate') return formatDay(String(value), 'year');
    return valueWords(value);
  };
}
