import { type Readable } from 'node:stream';
import { findWorkspace } from '../../access/workspaces/workspace-views.js';
import { sealAuditEntries } from '../../audit/seal-audit-entries.js';
import { type Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/failure.js';
import { unreachable } from '../../kernel/unreachable.js';
import { pollUntil } from '../../kernel/waiting.js';
import { readActorNames } from '../../people/reps/actor-names.js';
import { repNotFound } from '../../people/reps/rep.js';
import { findPeopleBelow } from '../../people/reps/rep-views.js';
import { acceptanceNotNeeded } from '../../plans/acceptance/acceptance.js';
import { findAcceptance } from '../../plans/acceptance/acceptance-views.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type PdfPrinter } from '../../platform/documents/browser.js';
import { withoutTimes } from '../../platform/documents/pdf-times.js';
import { loadPayslip } from '../../statements/read-payslip.js';
import { type CurrencySummary, listSummaries, totalsInSlices } from '../../statements/snapshot.js';
import { readStatement } from '../../statements/statement-views.js';
import { type ExportRequest, workbookType } from '../export-job.js';
import { type FileInfo } from '../export-tables.js';
import { type OperationRights } from '../packets/evidence.js';
import { addEvidence, type Read } from '../packets/evidence-files.js';
import { hasUnsealed } from '../packets/evidence-rows.js';
import { Packet } from '../packets/packet.js';
import { addPersonalData } from '../packets/personal-files.js';
import { safeFilename, statementFilename, statementTotals } from '../statement-file.js';
import { loadTeamCsv, writeTeamCsv } from '../team-csv.js';
import { archivedMembers, controlTotals, hasPayable, loadTeamExport, type TeamExport } from '../team-export.js';
import { planDocumentPage } from './plan-document-page.js';
import { loadStatementFacts, type StatementFacts } from './statement-facts.js';
import { statementPage } from './statement-page.js';
import { statementWorkbook, type WorkbookStatement } from './statement-workbook.js';
import { teamPage } from './team-page.js';

/** Receives the parts of a file while it is produced. */
export interface PartSink {
  /** Reps whose part of an archive is already stored. */
  readonly storedReps: ReadonlySet<string>;
  /** Stores the next part. A part of an archive is a file with a name, and a rep if it is about one. */
  store(content: Buffer, file?: { readonly name: string; readonly repId?: string }): Promise<void>;
  /** Called with the number of parts before the first part is stored. */
  start(total: number): Promise<unknown>;
  /** Whether the time slice has ended. An archive then continues in a later run. */
  isTimeUp(): boolean;
}

/** The finished file; null for an archive that must continue in a later run. */
export type FinishedFile = Omit<FileInfo, 'bytes'> | null;

const maxPdfRows = 5000;
const partBytes = 4 * 1024 * 1024;

/** Produces the files of statements: reads the data, builds the pages or sheets, and passes the bytes to the sink. */
export class DocumentMaker {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly printer: PdfPrinter,
    private readonly clock: Clock,
    /** What each role may do, which packets of evidence contain. */
    private readonly rights: readonly OperationRights[],
  ) {}

  async make(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    switch (request.kind) {
      case 'statement.pdf':
        return this.statementPdf(workspaceId, request, sink);
      case 'statement.xlsx':
        return this.statementXlsx(workspaceId, request, sink);
      case 'team.pdf':
        return this.teamPdf(workspaceId, request, sink);
      case 'team.xlsx':
        return this.teamXlsx(workspaceId, request, sink);
      case 'team.zip':
        return this.teamZip(workspaceId, request, sink);
      case 'team.csv':
        return this.teamCsv(workspaceId, request, sink);
      case 'plan.pdf':
        return this.planPdf(workspaceId, request, sink);
      case 'person.zip':
        return this.personZip(workspaceId, request, sink);
      case 'evidence.zip':
        return this.evidenceZip(workspaceId, request, sink);
      default:
        return unreachable(request.kind);
    }
  }

  /** Reads one snapshot of the state that the file shows. */
  private read<T>(
    workspaceId: string,
    { asOf }: Pick<ExportRequest, 'asOf'>,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const options = { lock: 'none', access: 'read', isolation: 'repeatable read', asOf: asOf ?? undefined } as const;
    return this.unitOfWork.run({ workspaceId }, options, work);
  }

  private async loadFacts(workspaceId: string, repId: string, request: ExportRequest): Promise<StatementFacts> {
    const facts = await this.read(workspaceId, request, (tx) => loadStatementFacts(tx, repId, request.period));
    if (facts === null) throw repNotFound();
    return facts;
  }

  private async statementPdf(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const { repId, period } = request;
    const facts = await this.loadFacts(workspaceId, repId ?? '', request);
    await sink.store(await this.print(facts));
    return {
      contentType: 'application/pdf',
      filename: statementFilename(period, facts.rep.name, 'pdf'),
      headers: statementTotals(facts.content, facts.head),
    };
  }

  private async print(facts: StatementFacts): Promise<Buffer> {
    return this.printer.print(await statementPage(facts, this.clock.now()));
  }

  private async statementXlsx(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const { repId, period, asOf } = request;
    const facts = await this.loadFacts(workspaceId, repId ?? '', request);
    const { workspace, days, rep, head, content, pay, people } = facts;
    const terms = { workspace, period, days, now: this.clock.now(), asOf, isPaid: pay !== null };
    await storeStream(statementWorkbook(terms, only({ ...rep, head, content, pay, people })), sink);
    return {
      contentType: workbookType,
      filename: statementFilename(period, rep.name, 'xlsx'),
      headers: statementTotals(content, head),
    };
  }

  private async teamPdf(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const { period, asOf } = request;
    const { team, workspace } = await this.loadTeam(workspaceId, request);
    if (team.rows.length > maxPdfRows)
      throw invalid({
        path: 'period',
        message: `has ${team.rows.length} rows, but a PDF holds at most ${maxPdfRows}; use export.csv`,
      });
    await sink.store(await this.printer.print(await teamPage(team, workspace, { now: this.clock.now(), asOf })));
    return {
      contentType: 'application/pdf',
      filename: `statements-${period}.pdf`,
      headers: computeTotals(team),
      ...peopleIn(request, team),
    };
  }

  /** All sheets are built from the same statements. Each statement is read in its own snapshot. */
  private async teamXlsx(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const { period, asOf } = request;
    const { team, workspace } = await this.loadTeam(workspaceId, request);
    const summaries: CurrencySummary[] = [];
    const statements = this.readStatements(workspaceId, request, team, summaries);
    await storeStream(
      statementWorkbook(
        { workspace, period, days: team.days, now: this.clock.now(), asOf, isPaid: hasPayable(team) },
        statements,
      ),
      sink,
    );
    const headers = controlTotals(summaries.length, await totalsInSlices(summaries), team.members);
    return { contentType: workbookType, filename: `statements-${period}.xlsx`, headers, ...peopleIn(request, team) };
  }

  private async *readStatements(
    workspaceId: string,
    request: ExportRequest,
    { members, period, currency }: TeamExport,
    summaries: CurrencySummary[],
  ): AsyncGenerator<WorkbookStatement> {
    for (const { repId, name, email, payrollId } of members) {
      const { head, content, pay, people } = await this.read(workspaceId, request, async (tx) => {
        const read = await readStatement(tx, { repId, period }, currency);
        const actors = read.content.lines.map(({ actor }) => actor);
        const paid = await loadPayslip(tx, { repId, period }, read.head, read.content);
        return { ...read, pay: paid, people: await readActorNames(tx, actors) };
      });
      summaries.push(...listSummaries(content));
      yield { name, email, payrollId, head, content, pay, people };
    }
  }

  /** The document depends on nothing but what its hash covers, and so do the bytes of the file. */
  private async planPdf(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const { repId, planVersionId = '' } = request;
    const found = await this.read(workspaceId, request, (tx) => findAcceptance(tx, planVersionId, repId ?? ''));
    if (found === null) throw acceptanceNotNeeded();
    const { document, sha256, planName, version, repName } = found;
    await sink.store(withoutTimes(await this.printer.print(await planDocumentPage(document, sha256))));
    return {
      contentType: 'application/pdf',
      filename: `${safeFilename(`${planName} v${version} ${repName}`, 'plan')}.pdf`,
      headers: { 'X-Document-SHA256': sha256 },
    };
  }

  private async personZip(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const repId = request.repId ?? '';
    const asOf = request.asOf ?? this.clock.now();
    const packet = new Packet(sink);
    const now = { ...request, asOf: null };
    await addPersonalData(
      packet,
      (work) => this.read(workspaceId, now, work),
      repId,
      asOf,
      async (period) => this.print(await this.loadFacts(workspaceId, repId, { ...now, period })),
    );
    const manifestSha256 = await packet.finish({ format: 'personal data 1', workspaceId, repId, asOf });
    return { contentType: 'application/zip', filename: 'personal-data.zip', headers: {}, manifestSha256 };
  }

  private async evidenceZip(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const { range, asOf } = request;
    if (range === undefined) throw new Error('the request has no range');
    const read: Read = (work) => this.read(workspaceId, request, work);
    await this.seal(read);
    const packet = new Packet(sink);
    await addEvidence(packet, read, workspaceId, range, this.rights);
    const manifestSha256 = await packet.finish({ format: 'evidence of commission 1', workspaceId, ...range, asOf });
    const filename = `evidence-${range.from}-${range.to}.zip`;
    const headers = { 'X-Manifest-SHA256': manifestSha256 };
    return { contentType: 'application/zip', filename, headers, manifestSha256 };
  }

  /** Another process may seal at the same time: the packet has every entry until its instant. */
  private async seal(read: Read): Promise<void> {
    const sealNow = async () => {
      await sealAuditEntries(this.unitOfWork);
      return read(hasUnsealed);
    };
    const isLate = await pollUntil(sealNow, (isUnsealed) => !isUnsealed, { maxWaitMs: 60_000, pauseMs: 50 });
    if (isLate) throw new Error('audit entries of the range are not sealed');
  }

  private loadTeam(workspaceId: string, request: ExportRequest) {
    const { period, managerId } = request;
    return this.read(workspaceId, request, async (tx) => ({
      workspace: await findWorkspace(tx),
      team: await loadTeamExport(tx, period, this.clock, { repIds: await findTeam(tx, managerId), everyone: false }),
    }));
  }

  private async teamCsv(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const { period, managerId, csv } = request;
    if (csv === undefined) throw new Error('the request has no terms of a CSV file');
    const { file, team } = await this.read(workspaceId, request, async (tx) =>
      loadTeamCsv(tx, period, csv, await findTeam(tx, managerId), this.clock),
    );
    const { content, ...written } = await writeTeamCsv(file, csv);
    await sink.store(content);
    return { ...written, ...peopleIn(request, team) };
  }

  private async teamZip(workspaceId: string, request: ExportRequest, sink: PartSink): Promise<FinishedFile> {
    const { period } = request;
    const { team } = await this.loadTeam(workspaceId, request);
    const members = archivedMembers(team);
    await sink.start(members.length);
    for (const { repId, name, status } of members) {
      if (sink.storedReps.has(repId)) continue;
      if (sink.isTimeUp()) return null;
      const pdf = await this.print(await this.loadFacts(workspaceId, repId, request));
      await sink.store(pdf, {
        name: statementFilename(period, `${name} ${repId.slice(0, 8)}${status === 'approved' ? '' : ' draft'}`, 'pdf'),
        repId,
      });
    }
    return {
      contentType: 'application/zip',
      filename: `statements-${period}.zip`,
      headers: { ...computeTotals(team), 'X-Row-Count': String(members.length) },
      ...peopleIn(request, team, sink.storedReps),
    };
  }
}

/** The people to whom a team file is restricted; null for everyone. */
function findTeam(tx: Transaction, managerId: string | null): Promise<string[] | null> {
  return managerId === null ? Promise.resolve(null) : findPeopleBelow(tx, managerId);
}

/** The people in a file that is restricted to a team. Those of the stored parts may have left it since. */
function peopleIn(
  { managerId }: ExportRequest,
  { members }: TeamExport,
  storedReps: ReadonlySet<string> = new Set(),
): Pick<FileInfo, 'repIds'> {
  if (managerId === null) return {};
  return { repIds: [...new Set([...members.map(({ repId }) => repId), ...storedReps])] };
}

function computeTotals({ rows, totals, members }: TeamExport): Record<string, string> {
  return controlTotals(rows.length, totals, members);
}

async function* only(statement: WorkbookStatement): AsyncGenerator<WorkbookStatement> {
  yield statement;
}

/**
 * Stores the stream in parts of a few megabytes, so that neither the worker nor a download holds a large file in
 * memory.
 */
async function storeStream(stream: Readable, sink: PartSink): Promise<void> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes < partBytes) continue;
    await sink.store(Buffer.concat(chunks));
    [chunks, bytes] = [[], 0];
  }
  if (bytes > 0) await sink.store(Buffer.concat(chunks));
}
