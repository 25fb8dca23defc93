/** Identifies a part that has no class, such as the settings. */
export class NamedToken<Part> {
  /** Exists only for the compiler, which derives the type of the part from it. */
  declare readonly part: Part;

  constructor(readonly name: string) {}
}

/** Identifies a part of the service: its class, or a {@link NamedToken}. */
export type Token<Part = unknown> = NamedToken<Part> | (abstract new (...parameters: never[]) => Part);

/** The parts of a running service, for the operations that use them. */
export class PartRegistry {
  private readonly parts = new Map<Token, unknown>();

  register<Part>(token: Token<Part>, part: Part): this {
    this.parts.set(token, part);
    return this;
  }

  resolve<Part>(token: Token<Part>): Part {
    if (!this.parts.has(token)) throw new Error(`no part is registered for ${token.name}`);
    return this.parts.get(token) as Part;
  }
}
