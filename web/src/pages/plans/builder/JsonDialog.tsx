import { useState } from 'react';
import { Dialog } from '../../../components/Dialog.js';
import { TextArea } from '../../../components/Field.js';
import { configOf, type Draft, type PlanTest, termsOf } from '../../../plans/draft.js';
import styles from './Builder.module.css';

interface JsonDialogProps {
  readonly draft: Draft;
  readonly onApply: (draft: Draft) => void;
  readonly onClose: () => void;
}

/** The plan as a request of the API has it. Everything that the API can express can be written here. */
export function JsonDialog({ draft, onApply, onClose }: JsonDialogProps) {
  const [text, setText] = useState(() => JSON.stringify(jsonOf(draft), null, 2));
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Dialog
      title="Plan as JSON"
      size={760}
      onClose={onClose}
      action={{ children: 'Use this' }}
      problem={problem}
      onSubmit={() => {
        try {
          onApply(draftFrom(JSON.parse(text) as unknown, draft));
          onClose();
        } catch (error) {
          setProblem(error instanceof Error ? error.message : String(error));
        }
      }}
    >
      <TextArea
        label="JSON"
        className={styles.json}
        rows={24}
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setProblem(null);
        }}
      />
    </Dialog>
  );
}

function jsonOf({ name, terms, effectiveStart, effectiveEnd, currency, fieldMapping, tests }: Draft) {
  return { name, effectiveStart, effectiveEnd, currency, fieldMapping, config: configOf(terms), tests };
}

function draftFrom(value: unknown, before: Draft): Draft {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The plan must be an object.');
  const json = value as Partial<ReturnType<typeof jsonOf>>;
  const { config } = json;
  if (typeof config !== 'object' || config === null || !Array.isArray(config['rules']))
    throw new Error('The plan needs a config with a list of rules.');
  return {
    name: typeof json.name === 'string' ? json.name : before.name,
    terms: termsOf(config),
    effectiveStart: json.effectiveStart ?? null,
    effectiveEnd: json.effectiveEnd ?? null,
    currency: json.currency ?? null,
    fieldMapping: json.fieldMapping ?? null,
    tests: (json.tests ?? []) as readonly PlanTest[],
  };
}
