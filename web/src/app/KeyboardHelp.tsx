import { useState } from 'react';
import { CheckField } from '../components/Field.js';
import { InfoDialog } from '../components/InfoDialog.js';
import { Key } from '../components/Kbd.js';
import { hasLetterShortcuts, setLetterShortcuts } from '../shared/keys/shortcuts.js';
import styles from './KeyboardHelp.module.css';
import { listPages } from './navigation.js';
import { useSession } from './session.js';

const common = [
  [['⌘ K', 'Ctrl K'], 'Go to a person, deal, plan or page'],
  [['['], 'Previous period'],
  [[']'], 'Next period'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
  [['n'], 'Next person, on a statement under review'],
  [['p'], 'Previous person, on a statement under review'],
  [['/'], 'Filter the list'],
  [['Esc'], 'Close the dialog or panel'],
  [['?'], 'This help'],
] as const;

export function KeyboardHelp({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = useState(hasLetterShortcuts());
  const { role } = useSession();
  const pages = listPages(role).flatMap(({ key, label }) =>
    key === undefined ? [] : [[[`g ${key}`], label] as const],
  );
  return (
    <InfoDialog onClose={onClose} title="Keyboard shortcuts">
      <dl className={styles.list}>
        {[...common, ...pages].map(([keys, action]) => (
          <div key={action} className={styles.row}>
            <dt>
              {keys.map((key) => (
                <Key key={key}>{key}</Key>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Single-letter shortcuts"
        checked={isOn}
        onChange={({ currentTarget }) => {
          setLetterShortcuts(currentTarget.checked);
          setOn(currentTarget.checked);
        }}
      />
    </InfoDialog>
  );
}
