<?php

declare(strict_types=1);

namespace Acuse;

/** The CFDI of a package in a file. The iteration reads one CFDI at a time: memory does not grow with their number. */
final class PaqueteCfdi
{
    /** Bytes of a piece before it is inflated, to at most 17 MB. */
    private const CHUNK_BYTES = 16_384;
    private const IN_ZIP64 = 0xFFFFFFFF;
    private const CFDI = '~^cfdi/\d{4}-\d\d/([\dA-F-]{36})\.xml$~D';

    /** @param string $ruta Path of the ZIP that `guardarPaquete` or `descargarCfdi` stored. */
    public function __construct(public readonly string $ruta)
    {
    }

    /**
     * Every CFDI, in the order of the ZIP: its UUID in capitals; its path in the ZIP, `cfdi/AAAA-MM/UUID.xml`, as in the
     * column `xml` of the metadata; and the document, with the bytes of the SAT.
     *
     * @return \Generator<int, array{uuid: string, ruta: string, xml: string}>
     * @throws AcuseError `PAQUETE_DANADO` when the directory of the ZIP, a name or a CFDI is damaged; the CFDI before the
     *     damage come first
     */
    public function cfdi(): \Generator
    {
        foreach ($this->entries(static fn (string $name): bool => preg_match(self::CFDI, $name) === 1) as [$ruta, $chunks]) {
            yield ['uuid' => substr($ruta, -40, 36), 'ruta' => $ruta, 'xml' => implode('', iterator_to_array($chunks, false))];
        }
    }

    /**
     * Every CFDI of the metadata without XML, with its reason; none in a package without XML.
     *
     * @return \Generator<int, array{uuid: string, motivo: 'CANCELADO_RECIBIDO'|'NO_ENTREGADO_POR_EL_SAT'|'CUOTA_DEL_DIA'|'XML_ILEGIBLE'}>
     * @throws AcuseError `PAQUETE_DANADO` as {@see cfdi}
     */
    public function faltantes(): \Generator
    {
        foreach ($this->entries(static fn (string $name): bool => $name === 'faltantes.csv') as [, $chunks]) {
            $rest = '';
            $isHeader = true;
            foreach ($chunks as $chunk) {
                $lines = explode("\r\n", $rest . $chunk);
                $rest = array_pop($lines);
                foreach ($lines as $line) {
                    [$uuid, $motivo] = explode(',', $line) + [1 => ''];
                    if (!$isHeader) {
                        yield ['uuid' => $uuid, 'motivo' => $motivo];
                    }
                    $isHeader = false;
                }
            }
        }
    }

    /**
     * @param \Closure(string): bool $isWanted
     * @return \Generator<int, array{string, \Generator<int, string>}> Name and content.
     */
    private function entries(\Closure $isWanted): \Generator
    {
        [$directory, $data] = [@fopen($this->ruta, 'rb'), @fopen($this->ruta, 'rb')];
        if ($directory === false || $data === false) {
            throw new \RuntimeException("No se puede leer $this->ruta. Revise la ruta y sus permisos.");
        }
        foreach (self::directory($directory) as $entry) {
            // A damaged name can hide a wanted entry, so the names of other entries are checked as well. One damaged byte
            // cannot make it the name of a CFDI.
            if ($isWanted($entry['name'])) {
                yield [$entry['name'], self::content($data, $entry)];
            } elseif (preg_match(self::CFDI, $entry['name']) !== 1) {
                self::dataOffset($data, $entry);
            }
        }
    }

    /**
     * A range of the file.
     *
     * @param resource $file
     * @throws AcuseError `PAQUETE_DANADO` for a range outside of it
     */
    private static function take($file, int $at, int $bytes): string
    {
        if ($at < 0 || fseek($file, $at) !== 0) {
            throw new AcuseError(Errores::PAQUETE_DANADO);
        }
        $chunk = $bytes === 0 ? '' : (string) stream_get_contents($file, $bytes);
        return strlen($chunk) === $bytes ? $chunk : throw new AcuseError(Errores::PAQUETE_DANADO);
    }

    /**
     * The fields of a record after its signature.
     *
     * @return array<string, int>
     */
    private static function fields(string $layout, string $record, string $signature): array
    {
        if (!str_starts_with($record, $signature)) {
            throw new AcuseError(Errores::PAQUETE_DANADO);
        }
        return unpack($layout, $record, 4);
    }

    /**
     * The records of the directory of a ZIP: PKWARE APPNOTE 6.3, 4.3.12.
     *
     * @param resource $file
     * @return \Generator<int, array{name: string, method: int, crc: int, packed: int, bytes: int, offset: int}>
     */
    private static function directory($file): \Generator
    {
        // A ZIP of the service ends without a comment.
        $end = fstat($file)['size'] - 22;
        ['count' => $count, 'at' => $at] = self::fields('v3skip/vcount/Vsize/Vat', self::take($file, $end, 22), "PK\x05\x06");
        if ($count === 0xFFFF || $at === self::IN_ZIP64) {
            $locator = self::take($file, $end - 20, 20);
            // A ZIP of 65,535 entries has no ZIP64.
            if (str_starts_with($locator, "PK\x06\x07")) {
                $end = unpack('P', $locator, 8)[1];
                $layout = 'Pbytes/v2version/V2disk/Pown/Pcount/Psize/Pat';
                ['count' => $count, 'at' => $at] = self::fields($layout, self::take($file, $end, 56), "PK\x06\x06");
            }
        }
        for (; $count > 0; $count -= 1) {
            $layout = 'v3skip/vmethod/v2time/Vcrc/Vpacked/Vbytes/vname/vextra/vcomment/v2other/Vattributes/Voffset';
            $fields = self::fields($layout, self::take($file, $at, 46), "PK\x01\x02");
            $rest = self::take($file, $at + 46, $fields['name'] + $fields['extra']);
            $at += 46 + strlen($rest) + $fields['comment'];
            $name = substr($rest, 0, $fields['name']);
            yield ['name' => $name] + self::wide($fields, substr($rest, $fields['name']));
        }
        if ($at !== $end) {
            throw new AcuseError(Errores::PAQUETE_DANADO);
        }
    }

    /**
     * Size, packed size and offset; the ZIP64 field (4.5.3) has the large ones in this order.
     *
     * @param array<string, int> $fields
     * @return array<string, int>
     */
    private static function wide(array $fields, string $extra): array
    {
        while (strlen($extra) >= 4 && !str_starts_with($extra, "\x01\x00")) {
            $extra = substr($extra, 4 + unpack('v', $extra, 2)[1]);
        }
        $at = 4;
        foreach (['bytes', 'packed', 'offset'] as $name) {
            if ($fields[$name] !== self::IN_ZIP64) {
                continue;
            }
            if ($at + 8 > strlen($extra)) {
                throw new AcuseError(Errores::PAQUETE_DANADO);
            }
            $fields[$name] = unpack('P', $extra, $at)[1];
            $at += 8;
        }
        return $fields;
    }

    /**
     * Offset of the data of an entry.
     *
     * @param resource $file
     * @param array{name: string, offset: int} $entry
     * @throws AcuseError `PAQUETE_DANADO` when its local header has another name
     */
    private static function dataOffset($file, array $entry): int
    {
        $header = self::take($file, $entry['offset'], 30 + strlen($entry['name']));
        ['name' => $bytes, 'extra' => $extra] = self::fields('v11skip/vname/vextra', $header, "PK\x03\x04");
        if ($bytes !== strlen($entry['name']) || substr($header, 30) !== $entry['name']) {
            throw new AcuseError(Errores::PAQUETE_DANADO);
        }
        return $entry['offset'] + strlen($header) + $extra;
    }

    /**
     * The content of an entry in pieces, checked by its size and CRC-32.
     *
     * @param resource $file
     * @param array{name: string, method: int, crc: int, packed: int, bytes: int, offset: int} $entry
     * @return \Generator<int, string>
     */
    private static function content($file, array $entry): \Generator
    {
        $at = self::dataOffset($file, $entry);
        $end = $at + $entry['packed'];
        $inflate = $entry['method'] === 8 ? inflate_init(ZLIB_ENCODING_RAW) : null;
        $hash = hash_init('crc32b');
        $came = 0;
        while ($at < $end) {
            $chunk = self::take($file, $at, min(self::CHUNK_BYTES, $end - $at));
            $at += strlen($chunk);
            $piece = $inflate === null ? $chunk : self::inflated($inflate, $chunk);
            hash_update($hash, $piece);
            $came += strlen($piece);
            if ($came > $entry['bytes']) {
                throw new AcuseError(Errores::PAQUETE_DANADO);
            }
            yield $piece;
        }
        if ($came !== $entry['bytes'] || hexdec(hash_final($hash)) !== $entry['crc']) {
            throw new AcuseError(Errores::PAQUETE_DANADO);
        }
    }

    /** @throws AcuseError `PAQUETE_DANADO` for data that cannot be inflated */
    private static function inflated(\InflateContext $inflate, string $chunk): string
    {
        // An error handler of the program can throw the warning, also one silenced by @.
        set_error_handler(static fn (): bool => true);
        try {
            $piece = inflate_add($inflate, $chunk);
        } finally {
            restore_error_handler();
        }
        return $piece === false ? throw new AcuseError(Errores::PAQUETE_DANADO) : $piece;
    }
}
