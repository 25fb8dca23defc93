import { useQuery } from '@tanstack/react-query';
import { reasonTexts } from '#src/client.js';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { acceptedExceptionsQuery, type ExceptionGroup, type PeopleQuery } from '../../api/team-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { LinkButton } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextArea } from '../../components/Field.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';

export type ExceptionDeal = ExceptionGroup['deals'][number];
type Reason = ExceptionGroup['reason'];

interface AcceptDialogProps {
  readonly deal: ExceptionDeal;
  readonly reason: Reason;
  readonly onClose: () => void;
}

/** The only rule that paid nothing, which can be accepted for all deals. */
function onlyRule({ rules }: ExceptionDeal) {
  const [rule] = rules;
  if (rules.length !== 1 || rule?.planId == null || rule.ruleName === null) return null;
  return { planId: rule.planId, ruleName: rule.ruleName };
}

/** Asks why the deal, or every deal of its rule, is expected to pay nothing. */
export function AcceptDialog({ deal, reason, onClose }: AcceptDialogProps) {
  const form = usePersistedForm(`expected ${reason} ${deal.dealId}`, { scope: 'deal', note: '' });
  const rule = onlyRule(deal);
  const { scope, note } = form.values;
  const subject = scope === 'rule' && rule !== null ? rule : { dealId: deal.dealId };
  const change = useChange({
    send: () => api.acceptException({ body: { reason, ...subject, note: note.trim() } }),
    onDone: () => {
      showMessage('It is expected, and no longer listed.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`${deal.name ?? deal.dealId} is expected to pay nothing`}
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      form={form}
      action={{ disabled: note.trim() === '', children: 'Do not show again' }}
    >
      {rule === null ? null : (
        <Choice
          label="For"
          choices={[
            ['deal', 'this deal'],
            ['rule', `every deal for which ${rule.ruleName} pays nothing: ${reasonTexts[reason].label.toLowerCase()}`],
          ]}
          {...form.field('scope')}
        />
      )}
      <TextArea label="Why" {...form.field('note')} />
      <p className="dim">Commission does not change. The deal is still listed for any other reason.</p>
    </Dialog>
  );
}

/** Who expects it and why, with the way back. */
export function Accepted({ deal }: { readonly deal: ExceptionDeal }) {
  const { acceptance } = deal;
  const takeBack = useAction({
    send: (acceptanceId: string) => api.deleteAcceptedException({ params: { acceptanceId } }),
    onDone: () => showMessage('It is listed again.'),
  });
  if (acceptance === undefined) return null;
  const { acceptanceId, scope, note, acceptedByName, acceptedAt } = acceptance;
  return (
    <>
      {note}
      <span className="second">
        {acceptedByName ?? 'the operator'}, {formatDay(acceptedAt.slice(0, 10), 'year')}
        {scope === 'rule' ? ', every deal of the rule' : ''}
      </span>
      <LinkButton onClick={() => takeBack.send(acceptanceId)} disabled={takeBack.isBusy}>
        Show again<span className="unseen"> {deal.name ?? deal.dealId}</span>
      </LinkButton>
    </>
  );
}

interface ExpectedCountProps {
  readonly period: string;
  readonly people: PeopleQuery;
  readonly onShow: () => void;
}

/** Leads to what is expected to pay nothing; nothing while there is none. */
export function ExpectedCount({ period, people, onShow }: ExpectedCountProps) {
  const { data } = useQuery(acceptedExceptionsQuery(period, people));
  if (data === undefined || data.deals === 0) return null;
  return <LinkButton onClick={onShow}>Show {formatCount(data.deals, 'expected deal')}</LinkButton>;
}
