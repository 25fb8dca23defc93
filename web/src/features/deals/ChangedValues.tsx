import { type DealChange } from '../../api/deal-history-query.js';
import { formatCount } from '../../shared/format/numbers.js';
import { useValueWords, valueName } from './deal-values.js';

const kindWords: Readonly<Record<DealChange['kind'], string | null>> = {
  created: 'Created',
  changed: null,
  deleted: 'Deleted',
  restored: 'Restored',
};

/** How many values are named; a write of a whole record may change all of them. */
const maxNamed = 6;

/** What a change of a deal did to its values. A new deal has all its values below on the page. */
export function ChangedValues({ change: { kind, changes } }: { readonly change: DealChange }) {
  const what = kindWords[kind];
  const listed = kind === 'created' ? [] : changes.slice(0, maxNamed);
  const words = useValueWords(
    listed.flatMap(({ name, before, after }) => [before, after].map((value) => [name, value] as const)),
  );
  const others = kind === 'created' ? 0 : changes.length - listed.length;
  return (
    <span>
      {what === null ? null : <b className="strong">{what}</b>}
      {listed.map(({ name, before, after }, index) => (
        <span key={name}>
          {index > 0 || what !== null ? ', ' : null}
          <b className="strong">{valueName(name)}</b> {words(name, before)} → {words(name, after)}
        </span>
      ))}
      {others === 0 ? null : `, and ${formatCount(others, 'more value')}`}
    </span>
  );
}
