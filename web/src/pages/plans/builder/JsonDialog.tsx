import { useState } from 'react';
import { useKeptForm } from '../../../app/kept-state.js';
import { Dialog } from '../../../components/Dialog.js';
import { TextArea } from '../../../components/Field.js';
import { configOf, type Draft, type PlanTest, termsOf } from '../../../plans/draft.js';
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
  const [before] = useState(() => ({ text: JSON.stringify(jsonOf(draft), null, 2) }));
  const form = useKeptForm(`plan-json ${name}`, before);
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
          onApply(draftFrom(JSON.parse(form.values.text) as unknown, draft));
          form.clear();
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
        value={form.values.text}
        onChange={({ currentTarget }) => {
          form.change({ text: currentTarget.value });
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
