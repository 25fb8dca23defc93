import { type ReactNode } from 'react';
import { type Change } from '../../api/change.js';
import { describeError } from '../../api/describe-error.js';
import { type PersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import styles from './Settings.module.css';

interface SettingsFormProps {
  /** What is saved, such as `limit` in "Save limit". */
  readonly noun: string;
  readonly form: Pick<PersistedForm<unknown>, 'isChanged' | 'clear'>;
  readonly save: Change<void>;
  /** Whether what was entered can be read. */
  readonly isRead: boolean;
  /** What saving does, beside the buttons. */
  readonly note?: string;
  readonly children: ReactNode;
}

/** One group of settings with what was wrong and the buttons that discard and save it. */
export function SettingsForm({ noun, form, save, isRead, note = '', children }: SettingsFormProps) {
  return (
    <form
      className={styles.cards}
      onSubmit={(event) => {
        event.preventDefault();
        save.send();
      }}
    >
      {children}
      {save.error === null ? null : (
        <p role="alert" className="negative">
          {describeError(save.error).message}
        </p>
      )}
      <div className={blocks.saveLine}>
        <span className="dim">{note}</span>
        <Button disabled={!form.isChanged} onClick={form.clear}>
          Discard {noun}
        </Button>
        <Button type="submit" kind="primary" size="final" disabled={!form.isChanged || !isRead} isBusy={save.isBusy}>
          Save {noun}
        </Button>
      </div>
    </form>
  );
}
