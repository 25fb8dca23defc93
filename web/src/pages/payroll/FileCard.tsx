import { IconAlertTriangle, IconCheck, IconDownload, IconFileZip, IconInfoCircle } from '@tabler/icons-react';
import { type UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { downloadTeamFile, saveFile, type TeamFile, useDownload } from '../../api/download.js';
import { type Layout, type PayrollFile } from '../../api/payroll-queries.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Note } from '../../components/Note.js';
import { Card } from '../../components/Page.js';
import { Segments } from '../../components/Segments.js';
import { formatNumber, formatPercent } from '../../shared/format/numbers.js';
import { FilePreview } from './FilePreview.js';
import { firstNames, layoutNames, layouts, missingIds, type Obstacle } from './layouts.js';
import styles from './Payroll.module.css';
import { type FileTotal, type Sum } from './sums.js';

interface FileCardProps {
  readonly period: string;
  readonly currency: string;
  readonly layout: Layout;
  readonly query: UseQueryResult<PayrollFile>;
  /** Why there is no file in this layout. */
  readonly obstacle: Obstacle | null;
  readonly totals: readonly FileTotal[];
  readonly ledger: readonly Sum[];
  readonly isEqual: boolean;
  readonly withoutId: readonly { readonly name: string }[];
  /** Whose payroll id is not the one that was approved or last handed over. */
  readonly changedIds: readonly { readonly name: string }[];
  /** Who has the payroll id of another person. */
  readonly sharedIds: readonly { readonly name: string }[];
  readonly downloaded: { readonly at: string | null; readonly record: () => void };
}

/** The file in one of the layouts: its first rows as they are, its totals, and the comparison with the ledger. */
export function FileCard(props: FileCardProps) {
  const { period, layout, query, obstacle, totals } = props;
  const navigate = useNavigate({ from: '/payroll' });
  return (
    <Card
      title="File"
      action={
        <Segments
          label="Layout of the file"
          choices={layoutNames.map((name) => [name, layouts[name].label] as const)}
          current={layout}
          onChange={(next) => navigate({ search: { period, layout: next } })}
        />
      }
      className={styles.file}
    >
      <p className={styles.note}>{layouts[layout].note}</p>
      {obstacle === null ? (
        <Loaded query={query} height={320}>
          {(file) => (
            <>
              <FilePreview file={file} totals={file.layout === layout ? totals : []} />
              <Problems {...props} />
              <Control {...props} file={file} />
            </>
          )}
        </Loaded>
      ) : (
        <>
          <Note
            tone="warning"
            icon={IconAlertTriangle}
            title="There is no file in this layout"
            actions={obstacle.needsIds ? <PeopleLink /> : undefined}
          >
            <p>{obstacle.text}</p>
          </Note>
          <div className={styles.control}>
            <span />
            <AllPdfs period={period} />
          </div>
        </>
      )}
    </Card>
  );
}

function PeopleLink() {
  const { role } = useSession();
  if (role === 'manager') return null;
  return <Link to="/people">{role === 'admin' ? 'Add IDs' : 'People and IDs'}</Link>;
}

function Problems({ layout, totals, isEqual, withoutId, changedIds, sharedIds, query }: FileCardProps) {
  const isCurrent = query.data?.layout === layout && !query.isPlaceholderData;
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
      {changedIds.length > 0 ? (
        <Note tone="warning" icon={IconAlertTriangle} title="Changed payroll IDs" actions={<PeopleLink />}>
          <p>
            The payroll ID of {firstNames(changedIds)} was set or changed after the approval or since the last
            hand-over. Compare it with the payroll system before you hand over the file.
          </p>
        </Note>
      ) : null}
      {sharedIds.length > 0 ? (
        <Note tone="negative" icon={IconAlertTriangle} title="The same payroll ID" actions={<PeopleLink />}>
          <p>{firstNames(sharedIds)} have the payroll ID of another person, who would be paid instead.</p>
        </Note>
      ) : null}
      {withoutId.length > 0 && layout !== 'generic' ? (
        <Note tone="warning" icon={IconInfoCircle} title="Rows without a payroll ID" actions={<PeopleLink />}>
          <p>
            {missingIds(withoutId)} The payroll system cannot assign{' '}
            {withoutId.length === 1 ? 'this row' : 'these rows'}.
          </p>
        </Note>
      ) : null}
    </>
  );
}

function Control({
  period,
  layout,
  file,
  totals,
  ledger,
  isEqual,
  currency,
  downloaded,
}: FileCardProps & { readonly file: PayrollFile }) {
  const isCurrent = file.layout === layout;
  const save = () => {
    saveFile(file.file, file.file.name);
    downloaded.record();
  };
  return (
    <div className={styles.control}>
      <dl className={styles.totals}>
        <div>
          <dt>File</dt>
          <dd>{file.file.name}</dd>
        </div>
        <div>
          <dt>Rows</dt>
          <dd className="num strong">{formatNumber(file.rows.length)}</dd>
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
        <Button icon={IconDownload} onClick={save} disabled={!isCurrent}>
          {downloaded.at === null ? 'Download' : 'Download again'}
        </Button>
      </div>
    </div>
  );
}

function Amounts({ sums, currency }: { readonly sums: readonly Sum[]; readonly currency: string }) {
  const shown = sums.length === 0 ? [{ currency, amount: '0' }] : sums;
  return (
    <span className={styles.amounts}>
      {shown.map((sum) => (
        <Money
          key={sum.currency}
          amount={sum.amount}
          currency={sum.currency}
          unit={shown.length > 1 || sum.currency !== currency ? 'code' : 'symbol'}
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
