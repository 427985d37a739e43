<?php

declare(strict_types=1);

namespace Acuse;

/** The CFDI of a package that is stored in a file. Each is read when it is reached, so that memory stays flat. */
final class PaqueteCfdi
{
    private const CHUNK_BYTES = 262_144;
    private const IN_ZIP64 = 0xFFFFFFFF;
    private const CFDI = '~^cfdi/\d{4}-\d\d/([\dA-F-]{36})\.xml$~D';

    /** @param string $ruta The ZIP, as `guardarPaquete` or `descargarCfdi` stored it. */
    public function __construct(public readonly string $ruta)
    {
    }

    /**
     * Every CFDI, in the order of the ZIP: its UUID in capitals; its path in the ZIP, `cfdi/AAAA-MM/UUID.xml`, as in the
     * column `xml` of the metadata; and the document, byte for byte as the SAT gave it.
     *
     * @return \Generator<int, array{uuid: string, ruta: string, xml: string}>
     * @throws AcuseError `PAQUETE_DANADO` when the file is no longer the stored package
     */
    public function cfdi(): \Generator
    {
        foreach ($this->entries(static fn (string $name): bool => preg_match(self::CFDI, $name) === 1) as [$ruta, $chunks]) {
            yield ['uuid' => substr($ruta, -40, 36), 'ruta' => $ruta, 'xml' => implode('', iterator_to_array($chunks, false))];
        }
    }

    /**
     * Every CFDI of the metadata without XML, with its reason; none where metadata alone was asked for.
     *
     * @return \Generator<int, array{uuid: string, motivo: 'CANCELADO_RECIBIDO'|'NO_ENTREGADO_POR_EL_SAT'|'CUOTA_DEL_DIA'|'XML_ILEGIBLE'}>
     * @throws AcuseError `PAQUETE_DANADO`
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
            if ($isWanted($entry['name'])) {
                yield [$entry['name'], self::content($data, $entry)];
            }
        }
    }

    /** @param resource $file */
    private static function take($file, int $at, int $bytes): string
    {
        if ($at < 0 || fseek($file, $at) !== 0) {
            throw new AcuseError(Errores::PAQUETE_DANADO);
        }
        $chunk = $bytes === 0 ? '' : (string) stream_get_contents($file, $bytes);
        return strlen($chunk) === $bytes ? $chunk : throw new AcuseError(Errores::PAQUETE_DANADO);
    }

    /**
     * The fields of a record behind its signature.
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
     * The entries of a ZIP: PKWARE APPNOTE 6.3, 4.3.12.
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
            ['at' => $end64] = self::fields('Vdisk/Pat', self::take($file, $end - 20, 20), "PK\x06\x07");
            $layout = 'Pbytes/v2version/V2disk/Pown/Pcount/Psize/Pat';
            ['count' => $count, 'at' => $at] = self::fields($layout, self::take($file, $end64, 56), "PK\x06\x06");
        }
        for (; $count > 0; $count -= 1) {
            $layout = 'v3skip/vmethod/v2time/Vcrc/Vpacked/Vbytes/vname/vextra/vcomment/v2other/Vattributes/Voffset';
            $fields = self::fields($layout, self::take($file, $at, 46), "PK\x01\x02");
            $rest = self::take($file, $at + 46, $fields['name'] + $fields['extra']);
            $at += 46 + strlen($rest) + $fields['comment'];
            $name = substr($rest, 0, $fields['name']);
            yield ['name' => $name] + self::wide($fields, substr($rest, $fields['name']));
        }
    }

    /**
     * Sizes and offset, those that need it from the ZIP64 field (4.5.3), which has them in this order.
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
     * The content of an entry in pieces, checked by its CRC-32 and size.
     *
     * @param resource $file
     * @param array{method: int, crc: int, packed: int, bytes: int, offset: int} $entry
     * @return \Generator<int, string>
     */
    private static function content($file, array $entry): \Generator
    {
        $local = self::fields('v11skip/vname/vextra', self::take($file, $entry['offset'], 30), "PK\x03\x04");
        $at = $entry['offset'] + 30 + $local['name'] + $local['extra'];
        $end = $at + $entry['packed'];
        $inflate = $entry['method'] === 8 ? inflate_init(ZLIB_ENCODING_RAW) : null;
        $hash = hash_init('crc32b');
        $came = 0;
        while ($at < $end) {
            $chunk = self::take($file, $at, min(self::CHUNK_BYTES, $end - $at));
            $at += strlen($chunk);
            $piece = $inflate === null ? $chunk : @inflate_add($inflate, $chunk);
            if ($piece === false) {
                throw new AcuseError(Errores::PAQUETE_DANADO);
            }
            hash_update($hash, $piece);
            $came += strlen($piece);
            yield $piece;
        }
        if ($came !== $entry['bytes'] || hexdec(hash_final($hash)) !== $entry['crc']) {
            throw new AcuseError(Errores::PAQUETE_DANADO);
        }
    }
}
