// As much of pg as the tests use: it has no types of its own.
declare module "pg" {
  interface Result<R> {
    readonly rows: R[];
  }
  export class Pool {
    constructor(options: { readonly connectionString: string; readonly max?: number });
    query<R = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Result<R>>;
    connect(): Promise<{ release(): void }>;
    on(event: "error", listener: (error: Error) => void): void;
    end(): Promise<void>;
  }
}
