import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { describeError } from '../../../api/describe-error.js';
import { type PlanPreview, previewQuery } from '../../../api/plan-queries.js';
import { Button, LinkButton } from '../../../components/Button.js';
import { Money } from '../../../components/Money.js';
import { signOf, sumAmounts } from '../../../shared/format/exact.js';
import { formatCount } from '../../../shared/format/numbers.js';
import styles from './Builder.module.css';
import { type Builder } from './use-builder.js';
import { useSave } from './use-save.js';

const ActivateDialog = lazy(() => import('./ActivateDialog.js').then((module) => ({ default: module.ActivateDialog })));
const EveryChange = lazy(() => import('./EveryChange.js').then((module) => ({ default: module.EveryChange })));

export interface PreviewState {
  readonly preview: PlanPreview | undefined;
  readonly isRunning: boolean;
  readonly error: unknown;
}

/** The effect of the draft, or of the stored version if it is not active; there is none before the plan is stored. */
export function usePreview(builder: Builder): PreviewState {
  const { plan, base, draft, isChanged } = builder;
  const [latest] = useDebouncedValue(draft, 700);
  const isNeeded = plan !== null && (isChanged || !isActive(builder));
  const planRef = plan?.planStatus === 'active' ? base?.planVersionId : plan?.planId;
  const { data, isFetching, error } = useQuery({
    ...previewQuery(planRef ?? '', latest),
    enabled: isNeeded && latest.terms.rules.length > 0,
  });
  return { preview: isNeeded ? data : undefined, isRunning: isNeeded && (isFetching || latest !== draft), error };
}

/** Whether the version that the draft was made from pays. */
function isActive({ plan, source }: Builder): boolean {
  return plan?.planStatus === 'active' && source?.versionStatus === 'active';
}

/** What would change, in money, and the two ways to keep the draft. */
export function PreviewBar({ builder, state }: { readonly builder: Builder; readonly state: PreviewState }) {
  const { plan, isChanged, base } = builder;
  const [open, setOpen] = useState<'activate' | 'changes' | null>(null);
  const save = useSave(builder, open === 'activate');
  const version = (plan?.version ?? 0) + 1;
  return (
    <section className={styles.bar} aria-label="Preview and save">
      <PreviewWords state={state} builder={builder} onChanges={() => setOpen('changes')} />
      <Button
        size="final"
        disabled={save.isPending || (plan !== null && !isChanged && isActive(builder))}
        onClick={() => {
          save.reset();
          setOpen('activate');
        }}
      >
        {plan === null ? 'Save and activate' : 'Activate'}
      </Button>
      <Button
        kind="primary"
        size="final"
        isBusy={save.isPending}
        disabled={plan !== null && !isChanged}
        onClick={() => save.mutate({ status: 'draft' })}
      >
        {plan === null ? 'Save draft' : `Save version ${isChanged || base === null ? version : base.version}`}
      </Button>
      <Suspense fallback={null}>
        {open === 'activate' ? (
          <ActivateDialog
            builder={builder}
            state={state}
            change={{ isBusy: save.isPending, error: save.error }}
            onActivate={(force) => save.mutate({ status: 'active', force }, { onSuccess: () => setOpen(null) })}
            onClose={() => setOpen(null)}
          />
        ) : null}
        {open === 'changes' && state.preview !== undefined ? (
          <EveryChange preview={state.preview} builder={builder} onClose={() => setOpen(null)} />
        ) : null}
      </Suspense>
    </section>
  );
}

interface PreviewWordsProps {
  readonly state: PreviewState;
  readonly builder: Builder;
  readonly onChanges: () => void;
}

function PreviewWords({ state: { preview, isRunning, error }, builder, onChanges }: PreviewWordsProps) {
  if (builder.plan === null)
    return <p className={styles.barText}>The effect on real deals is shown once the draft is saved.</p>;
  if (error !== null && !isRunning)
    return <p className={`negative ${styles.barText}`}>{describeError(error).message}</p>;
  if (preview === undefined)
    return <p className={styles.barText}>{isRunning ? 'Calculating the effect …' : 'No unsaved changes.'}</p>;
  return (
    <p className={styles.barText} aria-busy={isRunning}>
      <span className={styles.tag}>{isRunning ? 'Calculating' : 'Preview'}</span>
      <PreviewEffect preview={preview} />
      <LinkButton className="strong" onClick={onChanges}>
        See every change
      </LinkButton>
    </p>
  );
}

/** The number of lines and people, the amount, what approved periods would owe, and whether pay moves to other periods. */
export function PreviewEffect({ preview }: { readonly preview: PlanPreview }) {
  const { count = 0, delta = 0, currency = 'USD', byRep = [], locked = [], byPayPeriod = [] } = preview;
  const payPeriods = byPayPeriod.filter(({ period }) => period !== null).length;
  const people = new Set(byRep.filter((total) => total.delta !== 0).map(({ repId }) => repId)).size;
  const owed = sumAmounts(locked.filter((total) => total.currency === currency).map((total) => total.delta));
  return (
    <>
      <span>
        changes <b className="strong">{formatCount(count, 'line')}</b> of{' '}
        <b className="strong">{formatCount(people, 'person', 'people')}</b> by{' '}
      </span>
      <span className={styles.delta}>
        <Money amount={delta} currency={currency} signed />
      </span>
      {signOf(owed) === 0 ? null : (
        <span className="dim">
          and <Money amount={owed} currency={currency} signed /> in approved periods
        </span>
      )}
      {payPeriods === 0 ? null : (
        <span className="dim">and what is paid in {formatCount(payPeriods, 'pay period')}</span>
      )}
    </>
  );
}
