import { type Request } from 'express';

/** The first version without a handshake: every request names its version itself. */
const firstModern = '2026-07-28';
/** Versions from this one on have no batches. A request without the header has an earlier version. */
const firstWithoutBatches = '2025-06-18';
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Whether the request is one of version 2026-07-28 or later, by its header or the data of a message. */
export function isModern(request: Request, body: unknown): boolean {
  return readVersion(request) >= firstModern || [body].flat().some(namesVersion);
}

function readVersion(request: Request): string {
  return request.header('mcp-protocol-version') ?? '';
}

function namesVersion(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { _meta?: object | null } | null };
  return Object.hasOwn(params?._meta ?? {}, versionKey);
}

/** Why the body is no valid batch; null for a valid batch and for a single message. */
export function checkBatch(request: Request, body: unknown): string | null {
  if (!Array.isArray(body)) return null;
  if (body.length === 0) return 'A batch must have at least one message.';
  return readVersion(request) >= firstWithoutBatches || body.some(namesVersion)
    ? `The protocol has no batches since version ${firstWithoutBatches}. Send one message in each request.`
    : null;
}

/**
 * The protocol requires clients to accept JSON and streams. Those that accept one of them, or anything, get JSON, but the
 * SDK rejects them, so their header is replaced.
 */
export function acceptBoth(request: Request): void {
  if (request.accepts(['application/json', 'text/event-stream']) === false) return;
  const others = request.rawHeaders.flatMap((text, index, all) =>
    index % 2 === 0 && text.toLowerCase() !== 'accept' ? [text, all[index + 1] ?? ''] : [],
  );
  request.rawHeaders = [...others, 'Accept', 'application/json, text/event-stream'];
  request.headers.accept = 'application/json, text/event-stream';
}
