import { IconAlertTriangle, IconCheck, IconFileZip } from '@tabler/icons-react';
import { type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { downloadTeamFile, type TeamFile, useDownload } from '../../api/download.js';
import { type Layout, type PayrollFile, type SomePeople } from '../../api/payroll-queries.js';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Note } from '../../components/Note.js';
import { Card } from '../../components/Page.js';
import { Segments } from '../../components/Segments.js';
import { type Sum } from '../../features/statements/pay-sums.js';
import { formatCount, formatNumber, formatPercent } from '../../shared/format/numbers.js';
import { FilePreview } from './FilePreview.js';
import { hasNothingNew } from './handover.js';
import { firstNames, layoutNames, layouts, missingIds, type Obstacle } from './layouts.js';
import { MissingIds, PeopleLink } from './MissingIds.js';
import styles from './Payroll.module.css';
import { type FileTotal } from './sums.js';

interface FileRequest {
  /** The number of people in the file. */
  readonly people: number;
  readonly isBusy: boolean;
  readonly onRequest: () => void;
}

interface FileCardProps {
  readonly title?: string;
  readonly period: string;
  readonly currency: string;
  readonly layout: Layout;
  /** The layouts that fit what is in the file. */
  readonly offered?: readonly Layout[];
  readonly onLayout: (layout: Layout) => void;
  /** What holds of the layout beside its note. */
  readonly furtherNote?: string | undefined;
  /** What of the period is in the file. */
  readonly choices?: ReactNode;
  readonly query: UseQueryResult<PayrollFile>;
  /** A large file that the reader requests; undefined for one that loads by itself. */
  readonly request?: FileRequest | undefined;
  /** Why there is no file in this layout. */
  readonly obstacle: Obstacle | null;
  readonly totals: readonly FileTotal[];
  readonly ledger: readonly Sum[];
  readonly isEqual: boolean;
  /** Who has no row, and why. */
  readonly withoutRow: ReactNode;
  readonly withoutId: SomePeople;
  /** Whose payroll id is not the one that was approved or last handed over. */
  readonly changedIds: SomePeople;
  /** Who has the payroll id of another person. */
  readonly sharedIds: SomePeople;
  /** What is done with the file. */
  readonly action: (file: PayrollFile, isCurrent: boolean) => ReactNode;
}

/** Whether the file is the chosen one, and not the one before, which stays until the next one is there. */
function isShown({ layout, query }: FileCardProps, file: PayrollFile): boolean {
  return file.layout === layout && !query.isPlaceholderData;
}

const noPeople: SomePeople = { count: 0, people: [] };

/** A file in one of the layouts: its first rows as they are, its totals, and the comparison with the ledger. */
export function FileCard(props: FileCardProps) {
  const { title = 'File', period, layout, furtherNote, offered = layoutNames, onLayout, choices, query } = props;
  const { obstacle, totals, request } = props;
  return (
    <Card
      title={title}
      action={
        <Segments
          label="Layout of the file"
          choices={offered.map((name) => [name, layouts[name].label] as const)}
          current={layout}
          onChange={onLayout}
        />
      }
      className={styles.file}
    >
      {choices === undefined ? null : <div className={styles.scope}>{choices}</div>}
      <p className={styles.note}>
        {[layouts[layout].note, ...(furtherNote === undefined ? [] : [furtherNote])].join(' ')}
      </p>
      {obstacle === null && request !== undefined ? (
        <Requested period={period} request={request} />
      ) : obstacle === null ? (
        <Loaded query={query} height={320}>
          {(file) =>
            hasNothingNew(file) ? (
              <>
                <p className={styles.complete}>Everything that is approved was handed over.</p>
                <OnlyPdfs period={period} />
              </>
            ) : (
              <>
                <FilePreview file={file} totals={isShown(props, file) ? totals : []} />
                <Problems {...props} file={file} />
                <Control {...props} file={file} />
              </>
            )
          }
        </Loaded>
      ) : (
        <>
          <MissingIds of={obstacle.needsIds ? props.withoutId : noPeople} title="There is no file in this layout">
            {obstacle.text}
          </MissingIds>
          <OnlyPdfs period={period} />
        </>
      )}
    </Card>
  );
}

/** A file of many people is made by a worker when the reader asks for it. */
function Requested({
  period,
  request: { people, isBusy, onRequest },
}: {
  readonly period: string;
  readonly request: FileRequest;
}) {
  return (
    <>
      <p className={styles.complete} role="status">
        {isBusy
          ? 'A worker makes the file. Its first rows and its totals appear here when it is ready.'
          : `The period has ${formatCount(people, 'person', 'people')}. Make the file to compare it with the ledger and to download it.`}
      </p>
      <div className={styles.control}>
        <span />
        <div className={styles.downloads}>
          <AllPdfs period={period} />
          <Button kind="primary" isBusy={isBusy} onClick={onRequest}>
            {isBusy ? 'Making the file' : 'Make the file'}
          </Button>
        </div>
      </div>
    </>
  );
}

function Problems(props: FileCardProps & { readonly file: PayrollFile }) {
  const { layout, file, totals, isEqual, withoutId, changedIds, sharedIds } = props;
  const isCurrent = isShown(props, file);
  return (
    <>
      {isCurrent && !isEqual ? (
        <Note tone="negative" icon={IconAlertTriangle} title="The file differs from the ledger">
          <p>
            {layout === 'generic' && totals.length > 0
              ? 'It contains amounts that are not approved. It can be handed over when every statement is approved, or in another layout.'
              : 'It cannot be handed over. Load the page again; if the difference remains, ask an admin.'}
          </p>
        </Note>
      ) : null}
      {changedIds.count > 0 ? (
        <Note tone="warning" icon={IconAlertTriangle} title="Changed payroll IDs" actions={<PeopleLink />}>
          <p>
            The payroll ID of {firstNames(changedIds)} was set or changed after the approval or since the last
            hand-over. Compare it with the payroll system before you hand over the file.
          </p>
        </Note>
      ) : null}
      {sharedIds.count > 0 ? (
        <Note tone="negative" icon={IconAlertTriangle} title="The same payroll ID" actions={<PeopleLink />}>
          <p>{firstNames(sharedIds)} have the payroll ID of another person, who would be paid instead.</p>
        </Note>
      ) : null}
      {withoutId.count > 0 && layout !== 'generic' ? (
        <MissingIds of={withoutId} title="Rows without a payroll ID">
          {missingIds(withoutId)} The payroll system cannot assign their rows.
        </MissingIds>
      ) : null}
    </>
  );
}

function Control(props: FileCardProps & { readonly file: PayrollFile }) {
  const { period, file, totals, ledger, isEqual, currency, action, withoutRow } = props;
  const isCurrent = isShown(props, file);
  return (
    <div className={styles.control}>
      <dl className={styles.totals}>
        <div>
          <dt>File</dt>
          <dd>{file.file.name}</dd>
        </div>
        <div>
          <dt>Rows</dt>
          <dd>
            <span className="num strong">{formatNumber(file.rows.length)}</span>
            {withoutRow}
          </dd>
        </div>
        <div>
          <dt>Control total</dt>
          <dd className="strong">{isCurrent ? <Amounts sums={totals} currency={currency} /> : '–'}</dd>
        </div>
        <div>
          <dt>Ledger total</dt>
          <dd className={styles.ledger}>
            <span className="strong">
              <Amounts sums={ledger} currency={currency} />
            </span>
            {isCurrent ? <Comparison isEqual={isEqual} /> : null}
          </dd>
        </div>
      </dl>
      <div className={styles.downloads}>
        <AllPdfs period={period} />
        {action(file, isCurrent)}
      </div>
    </div>
  );
}

function Amounts({ sums, currency }: { readonly sums: readonly Sum[]; readonly currency: string }) {
  const visible = sums.length === 0 ? [{ currency, amount: '0' }] : sums;
  return (
    <span className={styles.amounts}>
      {visible.map((sum) => (
        <Money
          key={sum.currency}
          amount={sum.amount}
          currency={sum.currency}
          unit={visible.length > 1 || sum.currency !== currency ? 'code' : 'symbol'}
        />
      ))}
    </span>
  );
}

function Comparison({ isEqual }: { readonly isEqual: boolean }) {
  const Glyph = isEqual ? IconCheck : IconAlertTriangle;
  return (
    <span className={isEqual ? styles.equal : styles.unequal}>
      <Glyph size={14} stroke={2} aria-hidden="true" />
      {isEqual ? 'equal' : 'not equal'}
    </span>
  );
}

/** The foot of a card without a file. */
function OnlyPdfs({ period }: { readonly period: string }) {
  return (
    <div className={styles.control}>
      <span />
      <AllPdfs period={period} />
    </div>
  );
}

/** Every statement of the period as PDF. A worker makes them, and the button shows its progress. */
function AllPdfs({ period }: { readonly period: string }) {
  const { start, ratio } = useDownload((kind: TeamFile, onProgress) => downloadTeamFile(kind, period, onProgress));
  return (
    <>
      <span className="unseen" role="status">
        {ratio === null ? '' : `Making the PDFs: ${Math.floor(ratio * 4) * 25} %`}
      </span>
      <Button icon={IconFileZip} isBusy={ratio !== null} onClick={() => start('zip')}>
        {ratio === null ? 'All PDFs' : `All PDFs ${formatPercent(ratio, 0)}`}
      </Button>
    </>
  );
}
