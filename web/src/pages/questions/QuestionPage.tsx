import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Breakdown, breakdownQuery, disputeQuery, isWaiting, statementQuery } from '../../api/queries.js';
import { type Discrepancy, type DisputeDetail, openDifferencesQuery } from '../../api/team-queries.js';
import { findUrl } from '../../app/navigation.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button, buttonClass } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { DealLink, StatementLink } from '../../components/links.js';
import { Note } from '../../components/Note.js';
import { Card, Page } from '../../components/Page.js';
import { Skeleton } from '../../components/States.js';
import { type ComparedAmount, comparedRules, ofRep } from '../../features/disputes/compared.js';
import { DecideDispute } from '../../features/disputes/DecideDispute.js';
import { DisputeBadge } from '../../features/disputes/DisputeBadge.js';
import { recordRead } from '../../features/disputes/read-answers.js';
import { findRelatedDifference } from '../../features/disputes/related-difference.js';
import { disputeTitle, statusWords, typeWords } from '../../features/disputes/words.js';
import { lateSentence } from '../../features/lines/late-amounts.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { CommentThread } from '../statements/CommentThread.js';

const route = getRouteApi('/_shell/questions/$disputeId');

/** One dispute: the question with its answers, and what the service had calculated then. */
export function QuestionPage() {
  const { role } = useSession();
  const { disputeId } = route.useParams();
  const dispute = useQuery(disputeQuery(disputeId));
  return (
    <Page
      title={dispute.data === undefined ? 'Question' : disputeTitle(dispute.data)}
      crumbs={[{ label: 'Questions', to: findUrl(role, 'Questions') }, { label: 'Question' }]}
      facts={dispute.data === undefined ? [] : [dispute.data.repName, formatPeriod(dispute.data.period)]}
      actions={dispute.data === undefined ? undefined : <DisputeBadge status={dispute.data.status} />}
    >
      <Loaded query={dispute} height={480}>
        {(loaded) =>
          role === 'manager' || role === 'admin' ? <ForDecision dispute={loaded} /> : <Question dispute={loaded} />
        }
      </Loaded>
    </Page>
  );
}

/** With what approved statements owe, one of which may be the answer. */
function ForDecision({ dispute }: { readonly dispute: DisputeDetail }) {
  const differences = useQuery(openDifferencesQuery(dispute.repId));
  const statement = useQuery(statementQuery(dispute.repId, dispute.period));
  return (
    <Loaded query={combineQueries({ differences, statement })} height={480}>
      {({ differences: { discrepancies }, statement: loaded }) => {
        const difference = isWaiting(dispute) ? findRelatedDifference(discrepancies, dispute) : null;
        return (
          <Question dispute={dispute}>
            {difference === null ? null : <RelatedDifference difference={difference} />}
            <DecideDispute dispute={dispute} difference={difference} statement={loaded} />
          </Question>
        );
      }}
    </Loaded>
  );
}

interface QuestionProps {
  readonly dispute: DisputeDetail;
  /** How it is decided, for those who decide. */
  readonly children?: React.ReactNode;
}

function Question({ dispute, children }: QuestionProps) {
  const { repId, period, dealId, evidence } = dispute;
  return (
    <>
      <Asked dispute={dispute} />
      {children}
      {dealId === null || evidence.deal === 'unknown' || evidence.deal === 'not_owned' ? (
        <StatementThenAndNow dispute={dispute} />
      ) : (
        <ThenAndNow dispute={dispute} dealId={dealId} />
      )}
      <Card>
        <CommentThread repId={repId} period={period} />
      </Card>
    </>
  );
}

function Asked({ dispute }: { readonly dispute: DisputeDetail }) {
  const { repId } = useSession();
  useEffect(() => {
    if (dispute.repId === repId) recordRead(dispute);
  }, [dispute, repId]);
  const { disputeId, openedBy, openedAt, description, type, expectedAmount, currency, period } = dispute;
  const withdraw = useAction({
    send: () => api.updateDispute({ params: { disputeId }, body: { status: 'withdrawn' } }),
  });
  return (
    <Card
      title={typeWords(type)}
      action={
        <StatementLink repId={dispute.repId} period={period} className="strong">
          Statement of {formatPeriod(period)}
        </StatementLink>
      }
    >
      <div className={blocks.stack}>
        <Said by={openedBy.name} at={openedAt} text={description} />
        {expectedAmount === null ? null : <p className="dim">Expected: {formatMoney(expectedAmount, currency)}</p>}
        {dispute.history
          .filter(({ status }) => status !== 'open')
          .map(({ status, by, note, at }) => (
            <Said key={at} by={by.name} at={at} step={statusWords[status]} text={note} />
          ))}
        {isWaiting(dispute) && openedBy.repId === repId ? (
          <div>
            <Button isBusy={withdraw.isBusy} onClick={() => withdraw.send()}>
              Withdraw
            </Button>
          </div>
        ) : null}
      </div>
    </Card>
  );
}

interface SaidProps {
  readonly by: string;
  readonly at: string;
  /** What became of the question; absent for the question itself. */
  readonly step?: string;
  readonly text: string | null;
}

/** A question or an answer, with who wrote it and when. */
function Said({ by, at, step, text }: SaidProps) {
  return (
    <div>
      <b className="strong">{by}</b> <span className="dim">{formatTimestamp(at)}</span>
      {step === undefined ? null : <> {step}</>}
      {text === null ? null : <p className="written">{text}</p>}
    </div>
  );
}

function RelatedDifference({ difference }: { readonly difference: Discrepancy }) {
  const { discrepancyId, status, period, repName, delta, currency } = difference;
  const [line, ...others] = difference.lines;
  return (
    <Note
      tone="warning"
      icon={IconAlertTriangle}
      title={`${formatMoney(delta, currency, { signed: true })} for ${formatPeriod(period)} is not decided yet`}
      actions={
        <Link to="/discrepancies" search={{ status, open: discrepancyId }} className={buttonClass()}>
          See the difference
        </Link>
      }
    >
      <p>
        {line === undefined || line.dealId === null ? (
          'Amounts'
        ) : (
          <DealLink dealId={line.dealId} name={line.dealName} />
        )}
        {others.length === 0 ? '' : ' and others'} changed after the statement of {formatPeriod(period)} was approved.
        Paying the difference may answer {repName}.
      </p>
    </Note>
  );
}

/** What the deal pays the person now, beside what it paid when the dispute was opened. */
function ThenAndNow({ dispute, dealId }: { readonly dispute: DisputeDetail; readonly dealId: string }) {
  const { repId } = dispute;
  const { role } = useSession();
  const { data: now, isLoading } = useQuery(breakdownQuery(dealId));
  if (isLoading) return <Skeleton height={160} />;
  const differences = now?.openDifferences.filter((openDifference) => openDifference.repId === repId) ?? [];
  return (
    <>
      {role === 'manager' || role === 'admin' ? null : <NotPaidYet differences={differences} />}
      <Evidence
        dispute={dispute}
        rows={comparedRules(dispute.evidence, now === undefined ? null : ofRep(now, repId))}
      />
    </>
  );
}

function NotPaidYet({ differences }: { readonly differences: Breakdown['openDifferences'] }) {
  const [first] = differences;
  if (first === undefined) return null;
  return (
    <Note tone="warning" icon={IconAlertTriangle} title={lateSentence([], differences)}>
      <p>The deal changed after the statement of {formatPeriod(first.period)} was approved.</p>
    </Note>
  );
}

/** What is earned in the period now, beside what was when a dispute about none of the person's deals was opened. */
function StatementThenAndNow({ dispute }: { readonly dispute: DisputeDetail }) {
  const { repId, period, evidence, currency } = dispute;
  const { data, isLoading } = useQuery(statementQuery(repId, period));
  if (isLoading) return <Skeleton height={160} />;
  const now = data?.summary.netPayout;
  const rules = comparedRules(evidence, null);
  const net = {
    name: `${data?.payslip === undefined ? 'Net payout of' : 'Earned in'} ${formatPeriod(period)}`,
    before: formatMoney(evidence.statement.netPayout, currency),
    now: now === undefined ? null : formatMoney(now, currency),
  };
  return <Evidence dispute={dispute} rows={[...rules, net]} />;
}

interface EvidenceProps {
  readonly dispute: DisputeDetail;
  readonly rows: readonly ComparedAmount[];
}

/** What the service had calculated when the dispute was opened, and what it has now. */
function Evidence({ dispute: { evidence, dealId, dealName }, rows }: EvidenceProps) {
  const { statement, deal } = evidence;
  const isTheirs = dealId !== null && deal !== 'unknown' && deal !== 'not_owned';
  return (
    <Card
      title={rows.every(({ now }) => now === null) ? 'As calculated at that time' : 'Then and now'}
      note={
        statement.version === 0
          ? 'The statement was not generated then'
          : `The statement was ${statement.status} then, version ${statement.version}`
      }
      action={isTheirs ? <DealLink dealId={dealId} name={dealName} /> : undefined}
    >
      <Facing
        rows={rows.map(({ name, before, now }) => [
          name,
          now === null || now === before ? before : `${before}, now ${now}`,
        ])}
      />
    </Card>
  );
}
