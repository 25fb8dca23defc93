import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { type Breakdown, breakdownQuery } from '../../api/queries.js';
import { workspaceQuery } from '../../api/settings-queries.js';
import { findUrl } from '../../app/navigation.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { seesPayments, useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { Loaded } from '../../components/Loaded.js';
import { StatementLink } from '../../components/links.js';
import { HeroMoney, Money } from '../../components/Money.js';
import { Card, Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { HeroText, StatCard, StatStrip } from '../../components/StatCard.js';
import { Badge } from '../../components/StatusBadge.js';
import { CorrectionsCard } from '../../features/deals/CorrectionsCard.js';
import { CreditsCard } from '../../features/deals/CreditsCard.js';
import { CrmButton } from '../../features/deals/CrmLink.js';
import { HistoryCard } from '../../features/deals/HistoryCard.js';
import { RefundsCard } from '../../features/deals/RefundsCard.js';
import { TimelineCard } from '../../features/deals/TimelineCard.js';
import { correctionWords, differenceWords, isCorrected, lateSentence } from '../../features/lines/late-amounts.js';
import { kindWords } from '../../features/lines/words.js';
import { CustomerOfDeal } from '../../features/payables/CustomerOfDeal.js';
import { conditionWords, fieldValueWords, fieldWords, valueWords } from '../../features/plans/words.js';
import { sumByCurrency } from '../../features/statements/pay-sums.js';
import { SumCard } from '../../features/statements/SumCard.js';
import { LazyTraceDrawer } from '../../features/trace/LazyTraceDrawer.js';
import { opensTrace } from '../../features/trace/opens-trace.js';
import { formatDay, formatTimestamp } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import styles from './Deals.module.css';
import { outcomeWords } from './reasons.js';

const LinesCard = lazy(() =>
  import('../../features/deals/LinesCard.js').then((module) => ({ default: module.LinesCard })),
);
const ContractOfDeal = lazy(() =>
  import('../../features/finance/ContractOfDeal.js').then((module) => ({ default: module.ContractOfDeal })),
);
const EditDealDialog = lazy(() =>
  import('../../features/deals/EditDealDialog.js').then((module) => ({ default: module.EditDealDialog })),
);

const route = getRouteApi('/_shell/deals/$dealId');

/** One deal: what it paid, to whom and why, why other rules paid nothing, and its fields. */
export function DealPage() {
  const { role } = useSession();
  const { dealId } = route.useParams();
  const { trace, edit } = route.useSearch();
  const navigate = useNavigate({ from: '/deals/$dealId' });
  const breakdown = useQuery(breakdownQuery(dealId));
  const sees = seesPayments(role);
  const hasBooks = useQuery({ ...workspaceQuery, enabled: sees }).data?.accounting !== undefined;
  const [isEdited, setEdited] = usePersistedDialog(`deal ${dealId}`);
  const deal = breakdown.data?.deal ?? null;
  const events = breakdown.data?.events ?? [];
  return (
    <Page
      title={deal?.name ?? dealId}
      crumbs={[{ label: 'Deals', to: findUrl(role, 'Deals') }, { label: dealId }]}
      facts={[dealId, deal?.repName, deal === null ? null : `changed ${formatTimestamp(deal.snapshotAt)}`]}
      actions={
        deal === null ? undefined : (
          <>
            <DealState deal={deal} />
            <CrmButton deal={deal} />
            {role === 'admin' && deal.deleted_at === null ? (
              <Button onClick={() => setEdited(true)}>Edit</Button>
            ) : null}
          </>
        )
      }
    >
      <Loaded query={breakdown} height={480}>
        {(loaded) => (
          <>
            <Figures breakdown={loaded} />
            <LateNote breakdown={loaded} />
            <TimelineCard dealId={dealId} breakdown={loaded} />
            <PaidRules events={loaded.events.filter(({ amount }) => amount !== 0)} corrections={loaded.corrections} />
            <OpenDifferences differences={loaded.openDifferences} />
            <UnpaidRules
              outcomes={loaded.outcomes.filter((outcome) => !outcome.paid && !isCorrected(outcome, loaded))}
              events={loaded.events}
              credits={loaded.credits}
            />
            <Content dealId={dealId} breakdown={loaded} />
            {sees ? (
              <RefundsCard
                dealId={dealId}
                currency={loaded.deal?.currency ?? undefined}
                canEdit={role === 'admin' && loaded.deal !== null && loaded.deal.deleted_at === null}
              />
            ) : null}
            {sees ? (
              <CustomerOfDeal
                dealId={dealId}
                currency={loaded.deal?.currency ?? undefined}
                canEdit={role === 'admin' && loaded.deal !== null}
              />
            ) : null}
            {hasBooks ? (
              <Suspense fallback={null}>
                <ContractOfDeal dealId={dealId} canEdit={role === 'admin' && loaded.deal !== null} />
              </Suspense>
            ) : null}
          </>
        )}
      </Loaded>
      {(isEdited || edit !== undefined) && role === 'admin' && deal?.deleted_at === null ? (
        <Suspense fallback={null}>
          <EditDealDialog
            deal={deal}
            focus={edit}
            onClose={() => {
              setEdited(false);
              void navigate({ search: (present) => ({ ...present, edit: undefined }), replace: true });
            }}
          />
        </Suspense>
      ) : null}
      {trace === undefined ? null : <LazyTraceDrawer eventId={trace} eventIds={events.map(({ eventId }) => eventId)} />}
    </Page>
  );
}

interface ContentProps {
  readonly dealId: string;
  readonly breakdown: Breakdown;
}

/** Who is credited, what people have corrected, and the fields. */
function Content({ dealId, breakdown: { deal, credits } }: ContentProps) {
  const { role } = useSession();
  if (deal === null)
    return <p className="dim">This deal belongs to someone else now. You see what it paid you while it was yours.</p>;
  const isAdmin = role === 'admin';
  return (
    <>
      {isAdmin || credits !== undefined ? (
        <CreditsCard dealId={dealId} canEdit={isAdmin && deal.deleted_at === null} />
      ) : null}
      <Suspense fallback={null}>
        <LinesCard dealId={dealId} currency={deal.currency} canEdit={isAdmin && deal.deleted_at === null} />
      </Suspense>
      {isAdmin ? <CorrectionsCard dealId={dealId} /> : null}
      {Object.keys(deal.fields).length === 0 ? null : (
        <Card title={deal.provider === null ? 'Fields of the deal' : 'Fields in the CRM'}>
          <Facing rows={Object.entries(deal.fields).map(([slug, value]) => [fieldWords(slug), valueWords(value)])} />
        </Card>
      )}
      <HistoryCard dealId={dealId} />
    </>
  );
}

function DealState({ deal }: { readonly deal: NonNullable<Breakdown['deal']> }) {
  if (deal.isWon) return <Badge tone="good">{deal.stageLabel}</Badge>;
  return <Badge tone={deal.isClosed ? 'negative' : 'neutral'}>{deal.stageLabel ?? 'No stage'}</Badge>;
}

function Figures({ breakdown: { deal, total, currency, otherCurrencies } }: { readonly breakdown: Breakdown }) {
  return (
    <StatStrip label="Summary" columns="1fr 1fr 1fr">
      <SumCard
        label="Commission"
        sums={sumByCurrency(
          [{ currency, amount: total }, ...otherCurrencies.map((other) => ({ ...other, amount: other.total }))],
          currency,
        )}
      />
      <StatCard
        label="Deal amount"
        figure={<HeroMoney amount={deal?.amount} currency={deal?.currency ?? currency} />}
      />
      <StatCard
        label={deal?.isClosed === false ? 'Expected' : 'Closed'}
        figure={<HeroText>{deal?.closeDate == null ? '–' : formatDay(deal.closeDate, 'year')}</HeroText>}
      />
    </StatStrip>
  );
}

/** The figure above contains amounts of several statements: which. */
function LateNote({ breakdown: { corrections, openDifferences } }: { readonly breakdown: Breakdown }) {
  const sentence = lateSentence(corrections, openDifferences);
  return sentence === null ? null : <p>{sentence}</p>;
}

function PaidRules({ events, corrections }: Pick<Breakdown, 'events' | 'corrections'>) {
  const { repId: own } = useSession();
  if (events.length === 0 && corrections.length === 0) return null;
  return (
    <Card title="What it earned, by rule">
      <ul className={blocks.rows}>
        {events.map(({ eventId, ruleName, repId, repName, amount, currency, status, earnedOn, kind, refundId }) => (
          <li key={eventId}>
            <span>
              <b className="strong">{ruleName ?? kindWords[kind]}</b>{' '}
              <span className="dim">
                {repId === own ? '' : `${repName}, `}
                {refundId === undefined ? 'earned on' : `taken back by the refund ${refundId} of`}{' '}
                {formatDay(earnedOn, 'year')}
                {status === 'reversed' ? ', no longer counts' : ''}
              </span>
            </span>
            <Link
              {...rowAction}
              {...opensTrace}
              search={{ trace: eventId } as never}
              className="strong"
              aria-label={`${formatMoney(amount, currency)}, explain ${ruleName ?? kindWords[kind]}`}
            >
              <Money amount={amount} currency={currency} />
            </Link>
          </li>
        ))}
        {corrections.map((correction) => (
          <li key={`${correction.eventId} ${correction.planId} ${correction.ruleName}`}>
            <span>
              <b className="strong">{correction.ruleName}</b>{' '}
              <span className="dim">
                {correction.repId === own ? '' : `${correction.repName}, `}added{' '}
                <StatementLink repId={correction.repId} period={correction.paidIn} className="strong">
                  {correctionWords(correction)}
                </StatementLink>
              </span>
            </span>
            <Link
              {...rowAction}
              {...opensTrace}
              search={{ trace: correction.eventId } as never}
              className="strong"
              aria-label={`${formatMoney(correction.delta, correction.currency)}, explain the correction of ${correction.ruleName}`}
            >
              <Money amount={correction.delta} currency={correction.currency} signed />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function OpenDifferences({ differences }: { readonly differences: Breakdown['openDifferences'] }) {
  const { role, repId: own } = useSession();
  if (differences.length === 0) return null;
  const opens = role !== 'rep';
  return (
    <Card title="Not paid yet">
      <ul className={blocks.rows}>
        {differences.map((difference) => (
          <li key={`${difference.discrepancyId} ${difference.planId} ${difference.ruleName}`}>
            <span>
              <b className="strong">{difference.ruleName}</b>{' '}
              <span className="dim">
                {difference.repId === own ? '' : `${difference.repName}, `}
                {formatMoney(difference.live, difference.currency)} instead of{' '}
                {formatMoney(difference.approved, difference.currency)}. {differenceWords(difference)}
              </span>
            </span>
            {opens ? (
              <Link
                {...rowAction}
                to="/discrepancies"
                search={{ status: difference.status, open: difference.discrepancyId }}
                className="strong"
                aria-label={`${formatMoney(difference.delta, difference.currency)}, open the discrepancy`}
              >
                <Money amount={difference.delta} currency={difference.currency} signed />
              </Link>
            ) : (
              <Money amount={difference.delta} currency={difference.currency} signed />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** On a deal of several people, each rule names whom it did not pay. */
function UnpaidRules({ outcomes, events, credits }: Pick<Breakdown, 'outcomes' | 'events' | 'credits'>) {
  const names = new Map(credits?.map(({ repId, repName }) => [repId, repName]));
  const findEvent = ({ ruleId, repId }: Breakdown['outcomes'][number]) =>
    events.find((event) => event.ruleId === ruleId && event.repId === repId && event.status === 'earned')?.eventId;
  if (outcomes.length === 0) return null;
  return (
    <Card title="Rules that paid nothing, and why">
      <ul>
        {outcomes.map((outcome) => (
          <li key={`${outcome.ruleId} ${outcome.reason} ${outcome.repId}`} className={styles.unpaid}>
            <b className="strong">{outcome.ruleName ?? 'No rule'}</b>{' '}
            <span className="dim">{names.get(outcome.repId)}</span>
            <p>
              {outcomeWords(outcome)} <ExplainLink eventId={findEvent(outcome)} name={outcome.ruleName} />
            </p>
            <ul>
              {outcome.conditions.map(({ field, operator, value, seen, passed }) => (
                <li key={`${field} ${operator} ${String(value)}`} className={styles.condition}>
                  {passed ? <IconCheck size={14} aria-hidden="true" /> : <IconX size={14} aria-hidden="true" />}
                  <span className="unseen">{passed ? 'Met: ' : 'Not met: '}</span>
                  {conditionWords({ field, operator, value })}{' '}
                  <span className="dim">– it is {fieldValueWords(field, seen)}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ExplainLink({ eventId, name }: { readonly eventId: string | undefined; readonly name: string | null }) {
  if (eventId === undefined) return null;
  return (
    <Link {...opensTrace} search={{ trace: eventId } as never} aria-label={`Explain ${name ?? 'the amount'}`}>
      Explain
    </Link>
  );
}
