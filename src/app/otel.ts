import { register } from 'node:module';
import { inParallel } from '../kernel/waiting.js';
import { setTracer } from '../platform/tracing.js';
import { serviceVersion } from '../platform/version.js';

/**
 * Optional tracing: `node --import ./dist/src/app/otel.js bin/commissions.js serve` loads this module before the
 * libraries that it instruments. Without an endpoint, or without its optional packages, it does nothing.
 */
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) await startTraces();

async function startTraces(): Promise<void> {
  // Imported modules are instrumented through a hook of the module loader.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const [{ NodeSDK, api, resources }, { HttpInstrumentation }, { ExpressInstrumentation }, { PgInstrumentation }] =
    await inParallel(
      () => import('@opentelemetry/sdk-node'),
      () => import('@opentelemetry/instrumentation-http'),
      () => import('@opentelemetry/instrumentation-express'),
      () => import('@opentelemetry/instrumentation-pg'),
    );
  const sdk = new NodeSDK({
    resource: resources.resourceFromAttributes({
      'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'commissions',
      'service.version': serviceVersion,
    }),
    instrumentations: [
      new HttpInstrumentation({ ignoreIncomingRequestHook: ({ url }) => url === '/livez' || url === '/readyz' }),
      new ExpressInstrumentation(),
      // Statements without their values, and none for the polling of an idle queue.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  sdk.start();
  const tracer = api.trace.getTracer('commissions');
  setTracer({
    inJobSpan: (job, work) =>
      tracer.startActiveSpan(`job ${job}`, { kind: api.SpanKind.CONSUMER }, async (span) => {
        try {
          return await work();
        } catch (error) {
          span.setStatus({ code: api.SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      }),
    flush: () => sdk.shutdown(),
  });
}
