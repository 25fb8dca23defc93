import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { usePersonNames } from '../../api/people-by-id.js';
import { type Workspace } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Choice, TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { describeSigners } from '../../features/approvals/chain-words.js';
import { describeLimits, readLimit, toEnteredLimit } from './entered-limit.js';
import styles from './Settings.module.css';
import { SettingsForm } from './SettingsForm.js';

/** Above which amount an adjustment waits for another person. Limits after the first are set with the API, and stay. */
export function AdjustmentLimitSettings({ stored }: { readonly stored: Workspace }) {
  const form = usePersistedForm('adjustment-limit', toEnteredLimit(stored.adjustmentLimits));
  const limits = readLimit(form.values);
  const { repIds } = form.values;
  const people = (stored.adjustmentLimits ?? []).flatMap(({ by }) => ('repIds' in by ? by.repIds : []));
  const findName = usePersonNames(people);
  const nameOf = (repId: string) => findName(repId) ?? '…';
  const save = useChange({
    send: () => api.updateWorkspace({ body: { adjustmentLimits: limits ?? null } }),
    onDone: () => {
      form.clear();
      showMessage('The limit for adjustments was saved.');
    },
  });
  return (
    <SettingsForm noun="limit" form={form} save={save} isRead={limits !== undefined}>
      <Card title="Limit for adjustments" note="what one person may add alone">
        <div className={styles.form}>
          <TextField
            label="Up to this amount (optional)"
            inputMode="decimal"
            hint={`In ${stored.currency}. Amounts of a person and period within 24 hours count together.`}
            {...form.field('above')}
          />
          <Choice
            label="Above it approved by"
            choices={[
              ['admin', 'another admin'],
              ['manager', 'a manager'],
              ...(repIds.length === 0
                ? []
                : [['people', describeSigners({ by: { repIds: [...repIds] } }, nameOf)] as const]),
            ]}
            {...form.field('by')}
          />
        </div>
        <p className="dim" role="status">
          {limits === undefined
            ? 'Enter an amount, or nothing for no limit.'
            : describeLimits(limits, stored.currency, nameOf)}
        </p>
      </Card>
    </SettingsForm>
  );
}
