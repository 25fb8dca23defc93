import { useDebouncedValue } from '@mantine/hooks';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type TestResult, testsQuery } from '../../../api/plan-queries.js';
import { describeError } from '../../../components/States.js';
import { formatMoney } from '../../../format/numbers.js';
import styles from './Builder.module.css';
import { TestDialog } from './TestDialog.js';
import { type Builder } from './use-builder.js';

/** The tests of the draft, which run while it is edited. */
export function TestsPanel({ builder, currency }: { readonly builder: Builder; readonly currency: string }) {
  const { draft, plan, edit } = builder;
  const [open, setOpen] = useState<number | 'new' | null>(null);
  const [latest] = useDebouncedValue(draft, 400);
  const result = useQuery({
    ...testsQuery(plan?.planId ?? '', latest),
    enabled: plan !== null && latest.tests.length > 0 && latest.terms.rules.length > 0,
  });
  const failures = new Map<string, TestResult['failed'][number]>();
  for (const one of result.data?.failed ?? []) if (!failures.has(one.name)) failures.set(one.name, one);
  return (
    <>
      <div className={styles.panelHead}>
        <p className={styles.listLabel}>Plan tests</p>
        {failures.size === 0 ? null : (
          <span className="negative">
            {failures.size} of {draft.tests.length} fails
          </span>
        )}
      </div>
      {result.error === null || draft.tests.length === 0 ? null : (
        <p className={styles.second}>{describeError(result.error).message}</p>
      )}
      <ul className={styles.tests}>
        {draft.tests.map((test, index) => {
          const failed = failures.get(test.name);
          return (
            <li key={test.name}>
              {plan === null || result.data === undefined ? null : failed === undefined ? (
                <IconCheck size={16} className="brand" aria-label="holds" />
              ) : (
                <IconX size={16} className="negative" aria-label="fails" />
              )}
              <span>
                <button type="button" className={styles.testName} onClick={() => setOpen(index)}>
                  {test.name}
                </button>
                {failed === undefined ? null : (
                  <span className={styles.second}>
                    expects {formatMoney(failed.expected, currency)}, gets {formatMoney(failed.actual, currency)}
                  </span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {plan === null && draft.tests.length > 0 ? (
        <p className={styles.second}>They run once the draft is saved.</p>
      ) : null}
      <button type="button" className={styles.link} onClick={() => setOpen('new')}>
        Add test
      </button>
      {open === null ? null : (
        <TestDialog
          test={open === 'new' ? null : (draft.tests[open] ?? null)}
          draft={draft}
          onClose={() => setOpen(null)}
          onSave={(test) => {
            edit({
              tests:
                open === 'new'
                  ? [...draft.tests, test]
                  : draft.tests.map((one, place) => (place === open ? test : one)),
            });
            setOpen(null);
          }}
          onRemove={() => {
            edit({ tests: draft.tests.filter((_, place) => place !== open) });
            setOpen(null);
          }}
        />
      )}
    </>
  );
}
