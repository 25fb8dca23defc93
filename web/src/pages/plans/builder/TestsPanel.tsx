import { useDebouncedValue } from '@mantine/hooks';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { describeError } from '../../../api/describe-error.js';
import { type TestResult, testsQuery } from '../../../api/plan-queries.js';
import { usePersistedChoice } from '../../../app/persisted-state.js';
import { LinkButton, RowButton } from '../../../components/Button.js';
import { adaptedTest } from '../../../features/plans/adapted-test.js';
import { type Draft } from '../../../features/plans/draft.js';
import { reasonWords } from '../../../features/plans/words.js';
import { formatMoney } from '../../../shared/format/numbers.js';
import styles from './Builder.module.css';
import { type Builder } from './use-builder.js';

const TestDialog = lazy(() => import('./TestDialog.js').then((module) => ({ default: module.TestDialog })));

/** The tests of the draft, which run while it is edited. */
export function TestsPanel({ builder, currency }: { readonly builder: Builder; readonly currency: string }) {
  const { draft, plan } = builder;
  const planId = plan?.planId ?? 'new';
  const [chosen, setChosen] = usePersistedChoice<string>('plan-test');
  const open = chosen?.startsWith(`${planId}:`) ? chosen.slice(planId.length + 1) : null;
  const setOpen = (name: string | null) => setChosen(name === null ? null : `${planId}:${name}`);
  const [latest] = useDebouncedValue(draft, 400);
  const result = useQuery({
    ...testsQuery(plan?.planId ?? '', latest),
    enabled: plan !== null && latest.tests.length > 0 && latest.terms.rules.length > 0,
  });
  const failures = firstFailures(draft, result.data);
  const adapt = (name: string) =>
    builder.edit({
      tests: draft.tests.map((test) => (test.name === name ? adaptedTest(test, result.data?.failed ?? []) : test)),
    });
  const hasRun = plan !== null && result.data !== undefined;
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
        <p className="second">{describeError(result.error).message}</p>
      )}
      <ul className={styles.tests}>
        {draft.tests.map(({ name }, index) => (
          <li key={name}>
            {hasRun ? <Outcome hasFailed={failures.has(name)} /> : null}
            <span>
              <RowButton onClick={() => setOpen(String(index))}>{name}</RowButton>
              <Difference failed={failures.get(name)} currency={currency} onAdapt={() => adapt(name)} />
            </span>
          </li>
        ))}
      </ul>
      {plan === null && draft.tests.length > 0 ? <p className="second">They run once the draft is saved.</p> : null}
      <LinkButton className="strong" onClick={() => setOpen('new')}>
        Add test
      </LinkButton>
      {open === null ? null : <OpenTest builder={builder} name={open} onClose={() => setOpen(null)} />}
    </>
  );
}

type Failed = TestResult['failed'][number];

/** The first failure of each test that the draft still has. */
function firstFailures({ tests }: Draft, result: TestResult | undefined): ReadonlyMap<string, Failed> {
  const failed = result?.failed ?? [];
  return new Map(
    tests.flatMap(({ name }) => {
      const first = failed.find((failure) => failure.name === name);
      return first === undefined ? [] : [[name, first] as const];
    }),
  );
}

function Outcome({ hasFailed }: { readonly hasFailed: boolean }) {
  return hasFailed ? (
    <IconX size={16} className="negative" aria-label="fails" />
  ) : (
    <IconCheck size={16} className="brand" aria-label="holds" />
  );
}

interface DifferenceProps {
  readonly failed: Failed | undefined;
  readonly currency: string;
  readonly onAdapt: () => void;
}

/** What differs. An example of a template may state what the plan of the template pays, and not this one. */
function Difference({ failed, currency, onAdapt }: DifferenceProps) {
  if (failed === undefined) return null;
  const reasons = new Set(failed.unpaid.map(({ reason }) => reasonWords[reason ?? '']).filter(Boolean));
  return (
    <span className="second">
      {failed.ruleName ?? 'the sum of everything'} expects {formatMoney(failed.expected, currency)}, gets{' '}
      {formatMoney(failed.actual, currency)}
      {reasons.size === 0 ? null : `: ${[...reasons].join(' ')}`}{' '}
      <LinkButton onClick={onAdapt} aria-label={`Expect what it gets: ${failed.name}`}>
        Expect what it gets
      </LinkButton>
    </span>
  );
}

interface OpenTestProps {
  readonly builder: Builder;
  /** The place of the test, or `new`. */
  readonly name: string;
  readonly onClose: () => void;
}

function OpenTest({ builder: { plan, draft, edit }, name, onClose }: OpenTestProps) {
  const edited = draft.tests[Number(name)] ?? null;
  if (edited === null && name !== 'new') return null;
  return (
    <Suspense fallback={null}>
      <TestDialog
        name={`${plan?.planId ?? 'new'}:${name}`}
        test={edited}
        draft={draft}
        onClose={onClose}
        onSave={(test) => {
          edit({
            tests:
              edited === null
                ? [...draft.tests, test]
                : draft.tests.map((stored) => (stored === edited ? test : stored)),
          });
          onClose();
        }}
        onRemove={() => {
          edit({ tests: draft.tests.filter((test) => test !== edited) });
          onClose();
        }}
      />
    </Suspense>
  );
}
