import { type DealChange } from '../../api/deal-history-query.js';
import { useValueWords, valueName } from './deal-values.js';

const kindWords: Readonly<Record<DealChange['kind'], string | null>> = {
  created: 'Created',
  changed: null,
  deleted: 'Deleted',
  restored: 'Restored',
};

/** What a change of a deal did to its values. A new deal has all its values below on the page. */
export function ChangedValues({ change: { kind, changes } }: { readonly change: DealChange }) {
  const words = useValueWords();
  const what = kindWords[kind];
  const listed = kind === 'created' ? [] : changes;
  return (
    <span>
      {what === null ? null : <b className="strong">{what}</b>}
      {listed.map(({ name, before, after }, index) => (
        <span key={name}>
          {index > 0 || what !== null ? ', ' : null}
          <b className="strong">{valueName(name)}</b> {words(name, before)} → {words(name, after)}
        </span>
      ))}
    </span>
  );
}
