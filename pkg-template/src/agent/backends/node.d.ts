// The functions of Node that folder.ts calls. Node's own types would make its globals known to every other file.
declare module "node:fs/promises" {
  interface Entry {
    readonly name: string;
    isDirectory(): boolean;
    isFile(): boolean;
  }
  export function mkdir(path: string, options: { recursive: true }): Promise<unknown>;
  export function readdir(path: string, options: { withFileTypes: true }): Promise<Entry[]>;
  export function readFile(path: string): Promise<Uint8Array>;
  export function readFile(path: string, encoding: "base64"): Promise<string>;
  export function realpath(path: string): Promise<string>;
  export function rm(path: string, options: { force: true }): Promise<void>;
  export function stat(path: string): Promise<{ readonly birthtime: Date; readonly mtime: Date }>;
  export function writeFile(path: string, data: string, encoding: "utf8" | "base64"): Promise<void>;
}
declare module "node:path" {
  export function dirname(path: string): string;
  export function join(...paths: string[]): string;
  export function resolve(path: string): string;
  export const sep: string;
}
