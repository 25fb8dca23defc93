import { useState } from 'react';
import { usePersistedForm } from '../../../app/persisted-state.js';
import { Dialog } from '../../../components/Dialog.js';
import { TextArea } from '../../../components/Field.js';
import { type Draft } from '../../../features/plans/draft.js';
import { draftFrom, toJson } from '../../../features/plans/plan-json.js';
import styles from './Builder.module.css';

interface JsonDialogProps {
  /** Distinguishes what is kept for each plan. */
  readonly name: string;
  readonly draft: Draft;
  readonly onApply: (draft: Draft) => void;
  readonly onClose: () => void;
}

/** The plan as a request of the API has it. Everything that the API can express can be written here. */
export function JsonDialog({ name, draft, onApply, onClose }: JsonDialogProps) {
  const [before] = useState(() => ({ text: JSON.stringify(toJson(draft), null, 2) }));
  const form = usePersistedForm(`plan-json ${name}`, before);
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Dialog
      title="Plan as JSON"
      size={760}
      onClose={onClose}
      action={{ children: 'Use this' }}
      problem={problem}
      form={form}
      onSubmit={() => {
        try {
          onApply(draftFrom(form.values.text, draft));
          form.clear();
          onClose();
        } catch (error) {
          setProblem((error as Error).message);
        }
      }}
    >
      <TextArea
        label="JSON"
        className={styles.json}
        rows={24}
        spellCheck={false}
        value={form.values.text}
        onChange={({ currentTarget }) => {
          form.change({ text: currentTarget.value });
          setProblem(null);
        }}
      />
    </Dialog>
  );
}
