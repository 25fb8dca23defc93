import { BillingIntake } from '#src/billing/billing-intake.js';
import { type Service } from '#src/composition.js';
import { DocumentMaker } from '#src/exports/documents/document-maker.js';
import { calculateJob } from '#src/ledger/calculate-job.js';
import { type JobHandler, JobWorker, runUnqueued } from '#src/platform/jobs/job-queue.js';
import { mailTransport } from '#src/platform/mail/transport.js';
import { BillingSweep } from './billing-sweep.js';
import { calculateHandler } from './calculate.js';
import { crmPullHandler } from './crm-pull.js';
import { CrmSweep } from './crm-sweep.js';
import { ExportWorker } from './export-worker.js';
import { inboxHandler } from './inbox.js';
import { MailSweep } from './mail-sweep.js';
import { makeDocumentsHandler } from './make-documents.js';
import { sendMailHandler } from './send-mail.js';
import { Sweep } from './sweep.js';

export interface Workers {
  stop(): Promise<void>;
}

/** Starts everything that works in the background: every job of the service, and the sweep. */
export async function startWorkers(service: Service): Promise<Workers> {
  const {
    config,
    database,
    unitOfWork,
    queueBackend,
    laneRunner,
    localLanes: nearbyLanes,
    outbox,
    pdfPrinter,
    clock,
    log,
  } = service;
  const transport = mailTransport(config);
  const desk = new ExportWorker(database, unitOfWork, new DocumentMaker(unitOfWork, pdfPrinter, clock), log);
  const handlers = [
    calculateHandler(laneRunner, service.queue),
    inboxHandler(service.inboxRunner),
    crmPullHandler(service.crmSyncRunner),
    sendMailHandler(outbox, transport, log, config.NODE_ENV === 'production'),
    makeDocumentsHandler(desk),
  ];
  const worker = new JobWorker(
    queueBackend,
    handlers as unknown as JobHandler<never>[],
    config.WORKER_CONCURRENCY,
    log,
  );
  await worker.start();
  nearbyLanes.open((workspaceId, repId) => runUnqueued(calculateJob.name, () => laneRunner.run(workspaceId, [repId])));
  const sweep = new Sweep(database, unitOfWork, laneRunner, service.queue, service.wakeLanes, clock, log);
  sweep.start();
  const mailSweep = new MailSweep(unitOfWork, outbox, log);
  mailSweep.start();
  const crmSweep = new CrmSweep(database, unitOfWork, service.queue, log);
  crmSweep.start();
  desk.start();
  const billingSweep = startBillingSweep(service);
  return {
    stop: async () => {
      await nearbyLanes.close();
      await billingSweep?.stop();
      await crmSweep.stop();
      await sweep.stop();
      await mailSweep.stop();
      await desk.stop();
      await worker.close();
      transport?.close();
    },
  };
}

function startBillingSweep({ billingProvider, unitOfWork, container, clock, log }: Service): BillingSweep | null {
  if (billingProvider === null) return null;
  const sweep = new BillingSweep(unitOfWork, billingProvider, container.resolve(BillingIntake), clock, log);
  sweep.start();
  return sweep;
}
