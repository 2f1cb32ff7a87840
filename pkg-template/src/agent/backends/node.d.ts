// The functions of Node that folder.ts calls. Node's own types would make its globals known to every other file.
declare module "node:fs/promises" {
  interface Kinds {
    isDirectory(): boolean;
    isFile(): boolean;
    isSymbolicLink(): boolean;
  }
  interface Entry extends Kinds {
    readonly name: string;
  }
  export interface Stats extends Kinds {
    readonly birthtime: Date;
    readonly mtime: Date;
    readonly ino: number;
    readonly dev: number;
    readonly size: number;
  }
  export interface FileHandle {
    readonly fd: number;
    close(): Promise<void>;
    readFile(): Promise<Uint8Array & { toString(encoding: "base64"): string }>;
    stat(): Promise<Stats>;
    truncate(length: number): Promise<void>;
    writeFile(data: string, encoding: "utf8" | "base64"): Promise<void>;
  }
  /** Windows has neither O_NOFOLLOW nor O_NONBLOCK. */
  export const constants: Readonly<Record<"O_RDONLY" | "O_WRONLY" | "O_CREAT", number>> &
    Readonly<Partial<Record<"O_NOFOLLOW" | "O_NONBLOCK", number>>>;
  export function lstat(path: string): Promise<Stats>;
  export function mkdir(path: string, options?: { recursive: true }): Promise<unknown>;
  export function open(path: string, flags: number): Promise<FileHandle>;
  export function readdir(path: string, options: { withFileTypes: true }): Promise<Entry[]>;
  export function readlink(path: string): Promise<string>;
  export function realpath(path: string): Promise<string>;
  export function rm(path: string, options: { force: true }): Promise<void>;
  export function rmdir(path: string): Promise<void>;
}
declare module "node:path" {
  export function dirname(path: string): string;
  export function join(...paths: string[]): string;
  export function relative(from: string, to: string): string;
  export function resolve(...paths: string[]): string;
  export const sep: string;
}
