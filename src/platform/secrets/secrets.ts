import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const format = 2;
const idLength = 4;
const nonceLength = 12;
const tagLength = 16;

/**
 * Keyed hashes and encryption of data that must not be readable from the database. Each purpose has its own key,
 * derived from the master key, which is never stored in the database.
 */
export class Secrets {
  /** The first bytes of every text that is sealed with the present master key: the format and the id of the key. */
  readonly header: Buffer;
  private readonly macKey: Buffer;
  private readonly sealKey: Buffer;
  private readonly sealKeys: ReadonlyMap<string, Buffer>;

  /** The other keys only open texts: those sealed before the master key was replaced. */
  constructor(masterKey: Buffer, others: readonly Buffer[] = []) {
    this.macKey = derive(masterKey, 'commissions mac v1');
    this.sealKey = deriveSealKey(masterKey);
    this.header = deriveHeader(masterKey);
    this.sealKeys = new Map(
      [...others, masterKey].map((key) => [deriveHeader(key).toString('hex'), deriveSealKey(key)]),
    );
  }

  /** HMAC-SHA-256 of the parts with their lengths, so that different lists of parts never have the same input. */
  mac(purpose: string, ...parts: readonly (string | Buffer)[]): Buffer {
    const hmac = createHmac('sha256', this.macKey);
    for (const part of [purpose, ...parts]) {
      const bytes = Buffer.from(part as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      hmac.update(length).update(bytes);
    }
    return hmac.digest();
  }

  /**
   * AES-256-GCM. The encryption context, such as table and row id, is authenticated: a text copied to another row cannot be
   * opened.
   */
  seal(encryptionContext: string, text: string): Buffer {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, nonce, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(encryptionContext));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([this.header, nonce, cipher.getAuthTag(), sealed]);
  }

  /** Throws if the text was sealed in another context or with another key, or has been modified. */
  open(encryptionContext: string, sealed: Buffer): string {
    const tagStart = headerLength + nonceLength;
    const start = tagStart + tagLength;
    if (sealed[0] !== format || sealed.length < start) throw new Error('a sealed text has an unknown format');
    const key = this.sealKeys.get(sealed.subarray(0, headerLength).toString('hex'));
    if (key === undefined)
      throw new Error('a text is sealed with another master key; name it in MASTER_KEY_PREVIOUS until it is rotated');
    const nonce = sealed.subarray(headerLength, tagStart);
    // Without an explicit length, Node accepts tags of four bytes.
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
    decipher.setAAD(Buffer.from(encryptionContext));
    decipher.setAuthTag(sealed.subarray(tagStart, start));
    return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]).toString('utf8');
  }
}

const headerLength = 1 + idLength;

/** The id is derived from the key and reveals nothing about it. */
function deriveHeader(masterKey: Buffer): Buffer {
  return Buffer.concat([Buffer.from([format]), derive(masterKey, 'commissions key id v1').subarray(0, idLength)]);
}

function deriveSealKey(masterKey: Buffer): Buffer {
  return derive(masterKey, 'commissions seal v1');
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}
