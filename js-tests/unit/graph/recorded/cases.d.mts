/** Draws the case of a seed. */
export declare function draw(seed: number): object;
