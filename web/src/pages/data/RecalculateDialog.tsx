import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { allPlansQuery } from '../../api/import-queries.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { FindPerson, usePersonFinder } from '../../features/people/PersonChoice.js';

type Scope = 'workspace' | 'plan' | 'rep' | 'deal';

const keys = { plan: 'planId', rep: 'repId', deal: 'dealId' } as const;

interface RecalculateDialogProps {
  readonly onClose: () => void;
  readonly onStarted: (jobId: string) => void;
}

/** Starts a calculation of everyone, of a plan, of a person or of a deal. */
export function RecalculateDialog({ onClose, onStarted }: RecalculateDialogProps) {
  const { data: plans = [] } = useQuery(allPlansQuery);
  const form = usePersistedForm('recalculate', { scope: 'workspace' as Scope, of: '' });
  const { scope, of } = form.values;
  const finder = usePersonFinder({ chosen: scope === 'rep' ? [of] : [] });
  const choices = {
    plan: plans.map(({ planId, name }) => [planId, name] as const),
    rep: finder.choices,
  };
  const chosen = scope === 'plan' || scope === 'rep' ? of || choices[scope][0]?.[0] : of.trim();
  const start = useChange({
    send: () =>
      api.recalculateCommissions({
        body: { async: true, ...(scope === 'workspace' ? {} : { [keys[scope]]: chosen }) },
      }),
    reloads: { queryKey: ['jobs'] },
    onDone: ({ jobId }) => {
      form.clear();
      if (jobId !== undefined) onStarted(jobId);
      onClose();
    },
  });
  return (
    <Dialog
      title="Recalculate"
      onClose={onClose}
      onSubmit={() => start.send()}
      change={start}
      form={form}
      canSendUnchanged
      action={{ disabled: scope !== 'workspace' && !chosen, children: 'Start' }}
    >
      <p className="dim">
        Commission is computed again from deals, plans and quotas. Incorrect amounts are corrected; approved statements
        stay as they are.
      </p>
      <Choice
        label="Of"
        value={scope}
        choices={[
          ['workspace', 'everyone'],
          ['plan', 'the people of a plan'],
          ['rep', 'one person'],
          ['deal', 'one deal'],
        ]}
        onChange={({ currentTarget }) => form.change({ scope: currentTarget.value as Scope, of: '' })}
      />
      {scope === 'rep' ? <FindPerson finder={finder} /> : null}
      {scope === 'plan' || scope === 'rep' ? (
        <Choice label={scope === 'plan' ? 'Plan' : 'Person'} choices={choices[scope]} {...form.field('of')} />
      ) : null}
      {scope === 'deal' ? <TextField label="Deal ID" {...form.field('of')} /> : null}
    </Dialog>
  );
}
